// Tables with class "sortable": a click on a heading sorts by it, a second click reverses.
"use strict";
(function () {
  function key(row, place) {
    const cell = row.cells[place];
    const text = cell.dataset.value !== undefined ? cell.dataset.value : cell.textContent.trim();
    const number = parseFloat(text.replace(/,/g, ""));
    return { text: text, number: /^[-+]?[.\d]/.test(text) ? number : NaN };
  }

  function compare(one, other) {
    if (!one.text || !other.text) return (one.text ? 0 : 1) - (other.text ? 0 : 1);
    if (!isNaN(one.number) && !isNaN(other.number)) return one.number - other.number;
    return one.text.localeCompare(other.text, "en", { numeric: true });
  }

  function sort(table, heading, place) {
    const down = heading.getAttribute("aria-sort") === "ascending";
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows, (row) => [key(row, place), row]);
    rows.sort((a, b) => {
      const order = compare(a[0], b[0]);
      return a[0].text && b[0].text && down ? -order : order;
    });
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach((heading, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading, place));
      heading.append(button);
    });
  }
})();
