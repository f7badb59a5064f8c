// Filters of the scoreboard; the selection is kept in the URL fragment.
"use strict";
(function () {
  const form = document.getElementById("filters");
  const rows = Array.from(document.querySelectorAll("table.claims tbody tr"));
  const names = ["paper", "verdict", "analysis"];

  function show() {
    let shown = 0;
    for (const row of rows) {
      row.hidden = names.some((name) => form[name].value && row.dataset[name] !== form[name].value);
      shown += row.hidden ? 0 : 1;
    }
    document.getElementById("count").textContent = `${shown} of ${rows.length} claims`;
  }

  function read() {
    const query = new URLSearchParams(location.hash.slice(1));
    if (!names.some((name) => query.has(name))) return show(); // the fragment is a claim, or empty
    for (const name of names) {
      form[name].value = query.get(name) || "";
      if (form[name].selectedIndex < 0) form[name].value = "";
    }
    show();
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    const chosen = names.filter((name) => form[name].value).map((name) => [name, form[name].value]);
    history.replaceState(null, "", "#" + new URLSearchParams(chosen));
    show();
  });
  addEventListener("hashchange", read);
  form.hidden = false;
  read();
})();
