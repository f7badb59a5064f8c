// The grid: one data set and analysis at a time, up to two panels side by side, kept in the URL fragment.
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
        section.dataset.set !== form.set.value || section.dataset.analysis !== form.analysis.value;
    }
    for (const panel of document.querySelectorAll(".panel[data-panel]")) {
      panel.setAttribute("aria-pressed", String(compared.includes(panel.dataset.panel)));
    }
    pair.hidden = !compared.length;
    pair.replaceChildren(...compared.map(copied));
  }

  function copied(name) {
    const panel = find(name);
    const copy = document.createElement("figure");
    const image = panel.querySelector("img").cloneNode();
    image.removeAttribute("loading");
    const caption = document.createElement("figcaption");
    const title = panel.closest("section").querySelector("h2").textContent;
    caption.textContent = `${title}. ${panel.querySelector("figcaption").textContent.trim()}`;
    copy.append(image, caption);
    return copy;
  }

  function find(name) {
    return Array.from(document.querySelectorAll(".panel[data-panel]")).find((c) => c.dataset.panel === name);
  }

  function write() {
    const chosen = { set: form.set.value, analysis: form.analysis.value };
    if (compared.length) chosen.compare = compared.join(" ");
    history.replaceState(null, "", "#" + new URLSearchParams(chosen));
    show();
  }

  function read() {
    const query = new URLSearchParams(location.hash.slice(1));
    for (const name of ["set", "analysis"]) {
      const options = Array.from(form[name].options, (option) => option.value);
      if (options.includes(query.get(name))) form[name].value = query.get(name);
    }
    compared = (query.get("compare") || "").split(" ").filter((name) => name && find(name)).slice(0, 2);
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
    ArrowUp: () => step(form.analysis, -1),
    ArrowDown: () => step(form.analysis, 1),
  };
  addEventListener("keydown", (event) => {
    const inField = /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName || "");
    if (inField || event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const panel of document.querySelectorAll(".panel[data-panel]")) {
    panel.tabIndex = 0;
    panel.setAttribute("role", "button");
    panel.addEventListener("click", () => toggle(panel.dataset.panel));
    panel.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      toggle(panel.dataset.panel);
    });
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", write);
  addEventListener("hashchange", read);
  form.hidden = false;
  read();
})();
