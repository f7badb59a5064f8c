// Documents with editable attention. With a linear head logits = sum of weight * evidence + bias, so
// the prediction under any weights is computed here.
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("choose");

  function sum(values) {
    return values.reduce((total, value) => total + value, 0);
  }

  function normalised(values) {
    const total = sum(values);
    return total > 0 ? values.map((value) => value / total) : values.map(() => 1 / values.length);
  }

  function predict(example, weights) {
    const logits = example.bias.map((bias, c) => bias + sum(weights.map((w, t) => w * example.evidence[t][c])));
    if (logits.length === 1) return [1 / (1 + Math.exp(-logits[0]))];
    const largest = Math.max(...logits);
    return normalised(logits.map((logit) => Math.exp(logit - largest)));
  }

  function totalVariation(p, q) {
    const moved = sum(p.map((value, c) => Math.abs(value - q[c])));
    return p.length === 1 ? moved : moved / 2;
  }

  function divergence(p, q) {
    const part = (a, middle) => (a > 0 ? a * Math.log(a / middle) : 0);
    const halves = p.map((a, t) => part(a, (a + q[t]) / 2) + part(q[t], (a + q[t]) / 2));
    return Math.max(0, sum(halves) / 2);
  }

  // token `place` gets `weight`; the others keep their proportions
  function moved(weights, place, weight) {
    const rest = 1 - weights[place];
    return weights.map((w, t) => {
      if (t === place) return weight;
      return rest > 1e-12 ? (w * (1 - weight)) / rest : (1 - weight) / (weights.length - 1);
    });
  }

  function label(example, output) {
    if (output.length === 1) {
      const yes = output[0] > 0.5;
      return `${example.labels[yes ? 1 : 0]} ${(yes ? output[0] : 1 - output[0]).toFixed(4)}`;
    }
    const best = output.indexOf(Math.max(...output));
    return `${example.labels[best]} ${output[best].toFixed(4)}`;
  }

  function element(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children); // strings become text, never markup
    return node;
  }

  class Example {
    constructor(example, article) {
      this.example = example;
      this.own = normalised(example.strips.original);
      this.linear = example.evidence !== null && example.words.length > 1;
      this.place = this.own.indexOf(Math.max(...this.own));
      this.build(article);
      this.choose("original");
    }

    variants() {
      const adversaries = Object.keys(this.example.strips).filter((name) => name.startsWith("adversary_"));
      return data.variants.concat(adversaries.sort().map((name) => [name, name.replace("_", " ")]));
    }

    build(article) {
      this.buttons = {};
      for (const [name, title] of this.variants()) {
        const present = name === "uniform" || name in this.example.strips;
        const button = element("button", { type: "button", "data-variant": name }, title);
        button.disabled = !present;
        if (!present) button.title = "not computed for this document";
        button.addEventListener("click", () => this.choose(name));
        this.buttons[name] = button;
      }
      this.words = this.example.words.map((word, place) => this.word(word, place));
      const spaced = this.words.flatMap((word) => [word, " "]);
      this.readout = element("p", { class: "readout", "aria-live": "polite" });
      const live = element("div", { class: "live" });
      live.append(
        element("div", { class: "variants", role: "group", "aria-label": "attention shown" }, ...Object.values(this.buttons)),
        element("p", { class: "strip" }, ...spaced),
        this.readout,
        this.mover()
      );
      article.querySelector(".static").hidden = true;
      article.append(live);
    }

    word(word, place) {
      if (!this.linear) return element("span", { class: "word" }, word);
      const button = element("button", { type: "button", class: "word" }, word);
      button.addEventListener("click", () => this.pick(place));
      button.addEventListener("pointerdown", (event) => this.drag(event, place));
      button.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        this.pick((place + by + this.words.length) % this.words.length);
        this.words[this.place].focus();
      });
      return button;
    }

    drag(event, place) {
      if (event.pointerType !== "mouse") return; // touch scrolls; use the slider
      this.pick(place);
      const start = event.clientY;
      const weight = this.weights[place];
      const move = (now) => {
        const wanted = weight + (start - now.clientY) / 150;
        if (Math.abs(now.clientY - start) > 2) this.set(Math.min(1, Math.max(0, wanted)));
      };
      const stop = () => removeEventListener("pointermove", move);
      addEventListener("pointermove", move);
      addEventListener("pointerup", stop, { once: true });
    }

    mover() {
      const box = element("div", { class: "mover" });
      this.farthest = element("button", { type: "button", class: "farthest" }, "farthest attention with the same prediction");
      this.farthest.disabled = !this.example.farthest;
      if (!this.example.farthest) this.farthest.title = "none exists";
      this.farthest.addEventListener("click", () => this.choose(this.example.farthest));
      if (!this.linear) {
        const why = "The head of a pair model is not linear: only stored weights can be shown.";
        box.append(this.farthest, element("span", { class: "note" }, why));
        return box;
      }
      const bounds = { min: "0", max: "1", step: "any" };
      this.name = element("span", { class: "chosen" });
      this.range = element("input", { type: "range", "aria-label": "weight of the word", ...bounds });
      this.number = element("input", { type: "number", "aria-label": "weight of the word, typed", ...bounds, step: "0.01" });
      this.range.addEventListener("input", () => this.set(Number(this.range.value)));
      this.number.addEventListener("change", () => {
        const wanted = Number(this.number.value);
        if (Number.isFinite(wanted)) this.set(Math.min(1, Math.max(0, wanted)));
      });
      const back = element("button", { type: "button", class: "back" }, "reset to the model's own");
      back.addEventListener("click", () => this.choose("original"));
      box.append(this.name, this.range, this.number, this.farthest, back);
      return box;
    }

    choose(name) {
      const raw = name === "uniform" ? this.own.map(() => 1) : this.example.strips[name];
      this.variant = name;
      this.weights = normalised(raw);
      this.show();
    }

    pick(place) {
      this.place = place;
      this.show();
    }

    set(weight) {
      this.variant = "yours";
      this.weights = moved(this.weights, this.place, weight);
      this.show();
    }

    // null if the head is not linear and the pipeline stored no output for these weights
    output() {
      if (this.example.evidence !== null) return predict(this.example, this.weights);
      return this.example.outputs[this.variant] || null;
    }

    show() {
      const largest = Math.max(...this.weights);
      this.words.forEach((word, place) => {
        word.style.setProperty("--a", (this.weights[place] / largest).toFixed(3));
        word.title = `weight ${this.weights[place].toFixed(4)}`;
        if (this.linear) word.setAttribute("aria-pressed", String(place === this.place));
      });
      for (const [name, button] of Object.entries(this.buttons)) {
        button.setAttribute("aria-pressed", String(name === this.variant));
      }
      if (this.linear) {
        const weight = this.weights[this.place];
        this.name.textContent = this.example.words[this.place];
        this.range.value = weight;
        this.number.value = weight.toFixed(4);
      }
      this.showNumbers(largest);
    }

    showNumbers(largest) {
      const output = this.output();
      const own = this.example.evidence !== null ? predict(this.example, this.own) : this.example.outputs.original;
      const importance = this.variant === "gradient" || this.variant === "leave_one_out";
      const parts = output
        ? [["prediction", label(this.example, output)], ["TVD", totalVariation(output, own).toFixed(4)]]
        : [["prediction", "not computed"], ["TVD", "–"]];
      parts.push(["JSD", divergence(this.weights, this.own).toFixed(4)], ["largest weight", largest.toFixed(4)]);
      const spans = parts.map(([name, value]) => element("span", { "data-name": name }, `${name} `, element("b", {}, value)));
      if (this.variant === "yours") spans.push(element("span", {}, "edited weights"));
      if (importance) spans.push(element("span", { class: "note" }, "absolute values, normalised, used as attention"));
      this.readout.replaceChildren(...spans);
    }
  }

  const articles = Array.from(document.querySelectorAll("article.example"));
  const built = new Map();

  function show() {
    articles.forEach((article, place) => {
      article.hidden = article.dataset.dataset !== form.elements.dataset.value || article.dataset.model !== form.elements.model.value;
      if (!article.hidden && !built.has(article.id)) built.set(article.id, new Example(data.examples[place], article));
    });
    document.getElementById("none").hidden = articles.some((article) => !article.hidden);
  }

  function read() {
    const article = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (article && article.matches("article.example")) {
      form.elements.dataset.value = article.dataset.dataset;
      form.elements.model.value = article.dataset.model;
    }
    show();
    if (article) article.scrollIntoView();
  }

  if (!articles.length) return;
  document.getElementById("howto").hidden = false;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", () => {
    show();
    const first = articles.find((article) => !article.hidden);
    if (first) history.replaceState(null, "", "#" + encodeURIComponent(first.id));
  });
  addEventListener("hashchange", read);
  read();
})();
