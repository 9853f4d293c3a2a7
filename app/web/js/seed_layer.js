// The seeds themselves: each is one drawn thing that keeps its identity while it is sown, captured and swept.
import { svg } from "./dom.js";
import { arrange, match } from "./seeds.js";

const kKinds = 5;  // drawings of a seed in index.html
const kGentle = "cubic-bezier(.3,.1,.3,1)";

const transformOf = ({ x, y, turn, size = 1 }) => `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) rotate(${turn}deg) scale(${size})`;

export class SeedLayer {
  constructor() {
    this.places = Array.from({ length: 14 }, () => []);
    this.hand = [];
    this.made = 0;
  }

  // A new drawing of the board: the seeds move over without a motion.
  attach(group, geometry) {
    this.group = group;
    this.geometry = geometry;
    for (const seed of this.all()) group.append(seed.element);
    this.places.forEach((_, place) => this.#settle(place, 0));
  }

  all() {
    return [...this.places.flat(), ...this.hand];
  }

  count(place) {
    return this.places[place].length;
  }

  // Lays out these counts; seeds that are too many somewhere go where some are missing.
  show(counts, milliseconds) {
    const spare = this.hand.splice(0);
    counts.forEach((count, place) => spare.push(...this.places[place].splice(count)));
    counts.forEach((count, place) => {
      while (this.places[place].length < count) this.places[place].push(spare.pop() ?? this.#make(place));
    });
    for (const seed of spare) seed.element.remove();
    counts.forEach((_, place) => this.#settle(place, milliseconds));
  }

  lift(pit, milliseconds) {
    this.hand.push(...this.places[pit].splice(0));
    this.#carry(pit, milliseconds);
  }

  // The hand comes over the pit and lets one seed fall.
  sow(pit, milliseconds) {
    const seed = this.hand.shift();
    if (!seed) return;
    this.#carry(pit, milliseconds);
    this.places[pit].push(seed);
    this.group.append(seed.element);
    this.#settle(pit, milliseconds * 1.7);
  }

  // stores: where to; of two each takes half.
  take(pit, stores, milliseconds) {
    const taken = this.places[pit].splice(0);
    taken.forEach((seed, index) => {
      this.group.append(seed.element);
      this.places[stores[index % stores.length]].push(seed);
    });
    for (const store of stores) this.#settle(store, milliseconds, 22);
  }

  #make(place) {
    const { x, y } = this.geometry.places[place], kind = this.made++ % kKinds;
    const element = svg("g", { class: `seed seed-${kind}` }, svg("use", { href: `#seed-${kind}` }));
    this.group.append(element);
    return { element, x, y, turn: 0, size: 0.4 };
  }

  #carry(pit, milliseconds) {
    const { x, y } = this.geometry.places[pit], { seed: diameter, pit: radius } = this.geometry;
    const slots = arrange(this.hand.length, radius * 0.5, radius * 0.4, diameter, 50);
    this.hand.forEach((seed, index) => {
      this.group.append(seed.element);
      const slot = slots[index];
      this.#move(seed, { x: x + slot.x, y: y - radius * 0.55 + slot.y, turn: seed.turn, size: 1.14 }, milliseconds, 0);
    });
  }

  #settle(place, milliseconds, stagger = 0) {
    const seeds = this.places[place], { x, y, rx, ry } = this.geometry.places[place];
    const slots = arrange(seeds.length, rx, ry, this.geometry.seed, place);
    const slotOf = match(seeds.map((seed) => ({ x: seed.x - x, y: seed.y - y })), slots);
    seeds.forEach((seed, index) => {
      const slot = slots[slotOf[index]];
      this.#move(seed, { x: x + slot.x, y: y + slot.y, turn: slot.turn, size: 1 }, milliseconds, stagger * index);
    });
  }

  #move(seed, goal, milliseconds, delay) {
    const from = transformOf(seed), unit = this.geometry.seed / 25;
    const still = milliseconds <= 0, to = { ...goal, size: goal.size * unit };
    if (!still && from === transformOf(to)) return;
    Object.assign(seed, to);
    seed.element.style.transform = transformOf(to);
    for (const motion of seed.element.getAnimations()) motion.cancel();
    if (still) return;
    seed.element.animate([{ transform: from }, { transform: transformOf(to) }], { duration: milliseconds, delay, easing: kGentle, fill: "backwards" });
  }
}
