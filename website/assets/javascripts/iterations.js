// SPDX-License-Identifier: MIT
// The interactive picture of iterations. The page has every run as an SVG of its last step, and the
// steps as JSON; here a step is shown by hiding what is not there yet and setting labels.

"use strict";

const BUTTONS = [
  ["first", "M5 4v16M19 4 8 12l11 8z", "First step (Home)"],
  ["previous iteration", "M12 4 2 12l10 8zM22 4 12 12l10 8z", "Previous iteration (Page Up)"],
  ["previous", "M18 4 6 12l12 8z", "Previous step (Left)"],
  ["next", "m6 4 12 8-12 8z", "Next step (Right)"],
  ["next iteration", "m2 4 10 8-10 8zM12 4l10 8-10 8z", "Next iteration (Page Down)"],
  ["last", "M19 4v16M5 4l11 8-11 8z", "Last step (End)"],
];
const KEYS = {
  Home: "first",
  PageUp: "previous iteration",
  ArrowLeft: "previous",
  ArrowRight: "next",
  PageDown: "next iteration",
  End: "last",
};

class Run {
  constructor(element, steps) {
    this.element = element;
    this.steps = steps;
    this.at = 0;
    this.nodes = byData(element, "node");
    this.edges = byData(element, "edge");
    this.lines = [...element.querySelectorAll(".steps-line")];
    this.text = element.querySelector(".steps-text");
    this.slider = document.createElement("input");
    this.addControls(element.querySelector(".steps-controls"));
    this.show(0);
  }

  addControls(place) {
    for (const [action, shape, title] of BUTTONS) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(icon(shape));
      button.title = title;
      button.setAttribute("aria-label", title);
      button.addEventListener("click", () => this.act(action));
      place.append(button);
    }
    Object.assign(this.slider, { type: "range", min: 0, max: this.steps.length - 1, value: 0 });
    this.slider.setAttribute("aria-label", "Step");
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    place.append(this.slider);
  }

  act(action) {
    const begins = (index) => index === 0 || this.starts(index);
    const last = this.steps.length - 1;
    let to = this.at;
    if (action === "first") to = 0;
    if (action === "last") to = last;
    if (action === "previous") to -= 1;
    if (action === "next") to += 1;
    if (action === "next iteration") do to += 1; while (to < last && !begins(to));
    if (action === "previous iteration") do to -= 1; while (to > 0 && !begins(to));
    this.show(Math.min(last, Math.max(0, to)));
  }

  starts(index) {
    return this.steps[index].iteration !== this.steps[index - 1].iteration;
  }

  show(at) {
    this.at = at;
    const visible = new Set();
    const known = new Map();
    const visits = new Map();
    for (const step of this.steps.slice(0, at + 1)) {
      step.appear.forEach((node) => visible.add(String(node)));
      Object.entries(step.values).forEach(([node, shown]) => known.set(node, shown));
      Object.entries(step.visits).forEach(([edge, count]) => visits.set(edge, count));
    }
    const step = this.steps[at];
    this.showNodes(step, visible, known);
    this.showEdges(step, visible, visits);
    this.lines.forEach((line, index) => line.classList.toggle("active", index === step.line));
    this.text.textContent = `Iteration ${step.iteration}, step ${at + 1} of ${this.steps.length}. ${step.text}`;
    this.scrollTo(this.nodes.get(String(step.state)));
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", `step ${at + 1}, iteration ${step.iteration}`);
  }

  // On a narrow screen, keep the state of this step in sight.
  scrollTo(node) {
    const view = this.element.querySelector(".steps-picture");
    const [box, place] = [view.getBoundingClientRect(), node.getBoundingClientRect()];
    view.scrollLeft += place.left + place.width / 2 - box.left - box.width / 2;
  }

  showNodes(step, visible, known) {
    const fresh = new Set(step.appear.map(String));
    for (const [number, node] of this.nodes) {
      const [label, marks] = known.get(number) ?? ["", ""];
      const current = Number(number) === step.state ? " current" : "";
      const path = step.path.includes(Number(number)) ? " on-path" : "";
      const changed = number in step.values ? " changed" : "";
      node.setAttribute(
        "class",
        `node${marks}${current}${path}${changed}${fresh.has(number) ? " fresh" : ""}${visible.has(number) ? "" : " unseen"}`,
      );
      node.querySelector("text").textContent = label;
    }
  }

  showEdges(step, visible, visits) {
    const path = new Set(step.path.slice(1).map((node, index) => `${step.path[index]}-${node}`));
    const expanded = this.expandedBy(this.at);
    for (const [name, edge] of this.edges) {
      const [parent] = name.split("-");
      const unseen = expanded.has(parent) ? "" : " unseen";
      edge.setAttribute("class", `edge${path.has(name) ? " on-path" : ""}${unseen}`);
      edge.setAttribute("stroke-width", 1 + Math.min(visits.get(name) ?? 0, 6) * 0.6);
    }
  }

  expandedBy(at) {
    const steps = this.steps.slice(0, at + 1).filter((step) => step.kind === "expand");
    return new Set(steps.map((step) => String(step.state)));
  }
}

function icon(shape) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", shape);
  svg.append(path);
  return svg;
}

function byData(element, name) {
  const found = [...element.querySelectorAll(`[data-${name}]`)];
  return new Map(found.map((part) => [part.dataset[name], part]));
}

function start(steps) {
  const data = JSON.parse(steps.querySelector("script").textContent);
  const runs = new Map();
  for (const element of steps.querySelectorAll(".steps-run")) {
    runs.set(element.dataset.run, new Run(element, data[element.dataset.run]));
  }
  const chosen = (name) => steps.querySelector(`input[name=steps-${name}]:checked`).value;
  const current = () => runs.get(`${chosen("scene")}-${chosen("algorithm")}`);
  const choose = () => {
    runs.forEach((run) => (run.element.hidden = run !== current()));
    current().show(current().at);
  };
  steps.addEventListener("change", choose);
  steps.addEventListener("keydown", (event) => {
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!plain || !(event.key in KEYS) || event.target.matches("input, pre")) return;
    event.preventDefault();
    current().act(KEYS[event.key]);
  });
  steps.classList.add("alive");
  choose();
}

document.querySelectorAll(".steps").forEach(start);
