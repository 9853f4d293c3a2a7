// A board: a drawing, and over it one button for each pit. It shows positions and plays the steps of a move; it knows no rules.
import { drawBoard } from "./board_drawing.js";
import { h, replace, seeds, wantsStillness } from "./dom.js";
import { geometryFor, readingOrder } from "./geometry.js";
import { kNorthStore, kSouthStore, ownerOf, parsePosition, pitLetter, sideName, storeOf } from "./notation.js";
import { SeedLayer } from "./seed_layer.js";

const kSowing = 1500;        // milliseconds of a whole sowing, about
const kLongSowing = 4000;    // of relays over many pits, at most
const kGather = 420;

const stepTime = (sown) => Math.min(170, Math.max(kSowing / sown, Math.min(70, kLongSowing / sown)));

export class Board {
  // onPit(pit): a pit was chosen; without it the board is a picture. narrowBelow: pixels of its width under which the stores lie above and below.
  constructor({ onPit = null, label, narrowBelow = 680 }) {
    this.onPit = onPit;
    this.narrowBelow = narrowBelow;
    this.layer = new SeedLayer();
    this.position = null;
    this.marks = {};
    this.notes = null;
    this.turned = false;
    this.focused = 0;
    this.run = 0;      // of an animation; a newer number ends it
    this.wake = null;  // ends the pause of the one that runs
    this.pits = h("div", { class: "pits" });
    this.stores = [kSouthStore, kNorthStore].map(() => h("span", { class: "store visually-hidden", role: "img" }));
    this.element = h("div", { class: "board", role: "group", "aria-label": label });
    this.buttons = Array.from({ length: 12 }, (_, pit) => this.#makePit(pit));
    this.element.addEventListener("keydown", (event) => this.#arrows(event));
    new ResizeObserver(() => this.#layOut()).observe(this.element);
    this.#layOut(true);
  }

  get animating() {
    return this.wake !== null;
  }

  turn(turned) {
    if (turned === this.turned) return;
    this.turned = turned;
    this.#layOut(true);
  }

  // marks: {legal: Set of pits, from: pit, lands: pit, taken: [pits], hint: pit, previews: Map pit -> {lands, taken}, stores: [South's, North's] where they are no whole seeds}
  show(position, marks = {}, milliseconds = 0) {
    this.#stop();
    this.position = position;
    this.marks = marks;
    this.layer.show(parsePosition(position).counts, wantsStillness() ? 0 : milliseconds);
    this.#refresh();
  }

  mark(marks) {
    this.marks = marks;
    this.#refresh();
  }

  // notes: Map pit -> {share, text, best, truth}, or null
  annotate(notes) {
    this.notes = notes;
    this.#refresh();
  }

  // Shows how the move leads to `after`. Resolves when it is done or something newer is shown.
  async animate(steps, after, marks) {
    this.#stop();
    this.position = after;
    this.marks = marks;
    if (wantsStillness() || document.hidden) {
      this.show(after, marks);
      return;
    }
    const run = ++this.run, pace = stepTime(Math.max(1, steps.filter((step) => step.sow !== undefined).length));
    this.#refresh({ moving: true });
    for (const step of steps) {
      const wait = this.#perform(step, pace);
      this.#writeCounts();
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, wait);
      });
      if (run !== this.run) return;
    }
    this.wake = null;
    this.show(after, marks, 200);
  }

  // Whatever moves is there at once.
  finish() {
    if (this.animating) this.show(this.position, this.marks);
  }

  // A move that goes on sowing, or a capture, is marked while it happens.
  #perform(step, pace) {
    if (step.lift !== undefined) {
      this.layer.lift(step.lift, pace * 1.6);
      return pace * 1.9;
    }
    if (step.sow !== undefined) {
      this.layer.sow(step.sow, pace);
      return pace;
    }
    const pit = step.capture ?? step.sweep;
    this.layer.take(pit, step.to === "both" ? [kSouthStore, kNorthStore] : [storeOf(step.to)], kGather);
    this.parts.places[pit].classList.add("taken");
    return step.capture !== undefined ? kGather * 0.75 : kGather * 0.3;
  }

  #stop() {
    ++this.run;
    const wake = this.wake;
    this.wake = null;
    wake?.();
  }

  focusPit(pit) {
    this.focused = pit;
    this.buttons.forEach((button, index) => button.setAttribute("tabindex", index === pit ? "0" : "-1"));
    this.buttons[pit].focus();
  }

  #makePit(pit) {
    if (!this.onPit) return h("span", { class: "pit", role: "img" });
    const element = h("button", { type: "button", class: "pit", tabindex: pit === this.focused ? "0" : "-1", dataset: { pit: pitLetter(pit) } });
    const preview = (on) => () => this.#preview(on ? pit : null);
    element.addEventListener("click", () => this.onPit(pit));
    element.addEventListener("pointerenter", preview(true));
    element.addEventListener("pointerleave", preview(false));
    element.addEventListener("focus", () => {
      this.focused = pit;
      this.buttons.forEach((button, index) => button.setAttribute("tabindex", index === pit ? "0" : "-1"));
      this.#preview(pit);
    });
    element.addEventListener("blur", preview(false));
    return element;
  }

  #arrows(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!steps || !this.onPit || event.ctrlKey || event.altKey || event.metaKey || !event.target.closest(".pit")) return;
    const here = this.geometry.places[this.focused], column = (here.column + steps[0] + 6) % 6, row = Math.min(1, Math.max(0, here.row + steps[1]));
    event.preventDefault();
    this.focusPit(this.geometry.places.findIndex((place) => place.row === row && place.column === column));
  }

  #layOut(always = false) {
    const width = this.element.clientWidth, narrow = width > 0 ? width < this.narrowBelow : matchMedia("(max-width: 720px)").matches;
    if (!always && narrow === this.narrow) return;
    this.narrow = narrow;
    const focus = this.buttons.includes(document.activeElement) ? this.focused : null;
    this.#stop();
    this.geometry = geometryFor(narrow, this.turned);
    this.parts = drawBoard(this.geometry);
    this.layer.attach(this.parts.seeds, this.geometry);
    const { width: w, height: hh, places } = this.geometry;
    this.buttons.forEach((button, pit) => {
      const { x, y, radius } = places[pit];
      for (const [name, value] of [["left", (x - radius) / w], ["top", (y - radius) / hh], ["width", (2 * radius) / w], ["height", (2 * radius) / hh]]) {
        button.style.setProperty(name, `${100 * value}%`);
      }
    });
    this.element.style.setProperty("aspect-ratio", `${w} / ${hh}`);
    const order = readingOrder(this.geometry), row = (pits, side) => h("div", { class: "row", role: "group", "aria-label": `${sideName(side)}'s row` }, pits.map((pit) => this.buttons[pit]));
    const upper = ownerOf(order[0]), [south, north] = this.stores;
    replace(this.pits, upper === "N" ? north : south, row(order.slice(0, 6), upper), row(order.slice(6), ownerOf(order[6])), upper === "N" ? south : north);
    replace(this.element, this.parts.root, this.pits);
    if (this.position) this.show(this.position, this.marks);
    if (focus !== null) this.buttons[focus].focus();
  }

  #writeCounts() {
    this.parts.counts.forEach((text, place) => (text.textContent = this.layer.count(place)));
  }

  #preview(pit) {
    const preview = pit === null ? null : this.marks.previews?.get(pit);
    this.parts.places.forEach((group, place) => {
      group.classList.toggle("will-land", preview?.lands === place);
      group.classList.toggle("will-take", preview?.taken.includes(place) ?? false);
    });
  }

  #refresh({ moving = false } = {}) {
    if (!this.position) return;
    const { counts } = parsePosition(this.position), { legal, from, lands, taken, hint, stores } = this.marks;
    if (!moving) this.#writeCounts();
    [counts[kSouthStore], counts[kNorthStore]] = stores ?? counts.slice(kSouthStore);
    if (!moving && stores) stores.forEach((count, side) => (this.parts.counts[12 + side].textContent = count));
    this.stores.forEach((store, side) => store.setAttribute("aria-label", `${sideName(side === 0 ? "S" : "N")}'s store, ${seeds(counts[12 + side])}`));
    this.buttons.forEach((button, pit) => {
      const group = this.parts.places[pit], playable = legal?.has(pit) ?? false;
      group.classList.toggle("legal", playable);
      group.classList.toggle("from", !moving && from === pit);
      group.classList.toggle("lands", !moving && lands === pit);
      group.classList.toggle("taken", !moving && (taken?.includes(pit) ?? false));
      group.classList.toggle("hinted", hint === pit);
      button.classList.toggle("playable", playable);
      const words = [`pit ${pitLetter(pit)}`, seeds(counts[pit])];
      if (playable) words.push("legal");
      if (hint === pit) words.push("hint");
      const note = this.notes?.get(pit);
      if (note) words.push(note.spoken);
      button.setAttribute("aria-label", words.join(", "));
      if (this.onPit) button.setAttribute("aria-disabled", playable ? "false" : "true");
      this.#writeNote(pit, note);
    });
  }

  #writeNote(pit, note) {
    const ring = this.parts.rings[pit], text = this.parts.notes[pit];
    ring.style.setProperty("stroke-dasharray", `${note ? Math.max(100 * note.share, 0.01) : 0} 100`);
    ring.classList.toggle("shown", Boolean(note));
    ring.classList.toggle("best", Boolean(note?.best));
    text.textContent = note ? (this.narrow ? note.short : note.text) : "";
    text.classList.toggle("best", Boolean(note?.best));
  }
}
