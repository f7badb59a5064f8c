// The grid: one data set and experiment at a time, two cells side by side, all of it in the address.
"use strict";
(function () {
  const form = document.getElementById("choose");
  const pair = document.getElementById("pair");
  const sections = Array.from(document.querySelectorAll("section.grid"));
  if (!sections.length) return;
  let compared = [];

  function show() {
    for (const section of sections) {
      section.hidden =
        section.dataset.set !== form.set.value || section.dataset.experiment !== form.experiment.value;
    }
    for (const cell of document.querySelectorAll(".cell[data-cell]")) {
      cell.setAttribute("aria-pressed", String(compared.includes(cell.dataset.cell)));
    }
    pair.hidden = !compared.length;
    pair.replaceChildren(...compared.map(copied));
  }

  function copied(name) {
    const cell = find(name);
    const copy = document.createElement("figure");
    const image = cell.querySelector("img").cloneNode();
    image.removeAttribute("loading");
    const caption = document.createElement("figcaption");
    const title = cell.closest("section").querySelector("h2").textContent;
    caption.textContent = `${title}. ${cell.querySelector("figcaption").textContent.trim()}`;
    copy.append(image, caption);
    return copy;
  }

  function find(name) {
    return Array.from(document.querySelectorAll(".cell[data-cell]")).find((c) => c.dataset.cell === name);
  }

  function write() {
    const chosen = { set: form.set.value, experiment: form.experiment.value };
    if (compared.length) chosen.compare = compared.join(" ");
    history.replaceState(null, "", "#" + new URLSearchParams(chosen));
    show();
  }

  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of ["set", "experiment"]) {
      const options = Array.from(form[name].options, (option) => option.value);
      if (options.includes(given.get(name))) form[name].value = given.get(name);
    }
    compared = (given.get("compare") || "").split(" ").filter((name) => name && find(name)).slice(0, 2);
    show();
  }

  function toggle(name) {
    if (compared.includes(name)) compared = compared.filter((other) => other !== name);
    else compared = [...compared, name].slice(-2);
    write();
  }

  function step(select, by) {
    const count = select.options.length;
    select.selectedIndex = (select.selectedIndex + by + count) % count;
    write();
  }

  const keys = {
    ArrowLeft: () => step(form.set, -1),
    ArrowRight: () => step(form.set, 1),
    ArrowUp: () => step(form.experiment, -1),
    ArrowDown: () => step(form.experiment, 1),
  };
  addEventListener("keydown", (event) => {
    const inField = /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName || "");
    if (inField || event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const cell of document.querySelectorAll(".cell[data-cell]")) {
    cell.tabIndex = 0;
    cell.setAttribute("role", "button");
    cell.addEventListener("click", () => toggle(cell.dataset.cell));
    cell.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle(cell.dataset.cell);
    });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", write);
  addEventListener("hashchange", read);
  form.hidden = false;
  read();
})();
