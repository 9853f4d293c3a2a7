// The moves so far, South and North side by side; each one leads to its position.
import { button, h, replace } from "./dom.js";

export class MoveList {
  // onView(ply): the person wants to see the position after so many plies.
  constructor(onView) {
    this.onView = onView;
    this.list = h("ol", { class: "moves", tabindex: "-1" });
    const step = (label, name, change) => h("button", { type: "button", class: "button icon-only", "aria-label": label, title: label, onclick: () => onView(change(this.ply, this.last)) },
      button("", {}, name).querySelector("svg"));
    this.steps = h("div", { class: "steps", role: "group", "aria-label": "Step through the game" },
      step("First position", "first", () => 0), step("One move back", "back", (ply) => ply - 1),
      step("One move on", "forward", (ply) => ply + 1), step("Last position", "last", (_, last) => last));
    this.ply = 0;
    this.last = 0;
    this.element = h("div", { class: "move-list" }, this.steps, this.list);
  }

  // plies: [{move, mover, captured}]; ply: how many of them the board shows
  show(plies, ply) {
    this.ply = ply;
    this.last = plies.length;
    const rows = [];
    plies.forEach((entry, index) => {
      const before = rows.at(-1);
      const row = !before || entry.mover === "S" || before.N ? { S: null, N: null } : before;
      if (row !== before) rows.push(row);
      row[entry.mover] = this.#move(entry, index + 1);
    });
    replace(this.list, rows.length ? rows.map((row) => h("li", {}, row.S ?? h("span", { class: "no-move" }), row.N)) : h("li", { class: "none" }, "No move yet"));
    const [first, back, forward, last] = this.steps.children;
    first.disabled = back.disabled = ply === 0;
    forward.disabled = last.disabled = ply === this.last;
    const current = this.list.querySelector("[aria-current]");
    if (ply === 0) this.list.scrollTop = 0;
    if (current) this.list.scrollTop = current.offsetTop - this.list.offsetTop - this.list.clientHeight / 2;
  }

  #move({ move, captured }, ply) {
    return h("button", { type: "button", class: "move", "aria-current": ply === this.ply ? "step" : null, "aria-label": `Move ${ply}: ${move}${captured ? `, captured ${captured}` : ""}`, onclick: () => this.onView(ply) },
      move, captured ? h("span", { class: "captured" }, `+${captured}`) : null);
  }
}
