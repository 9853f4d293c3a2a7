// The parts of a board that stay: wood, bowls, stores, letters. Colours come from css/board.css, gradients from index.html.
import { svg } from "./dom.js";
import { pitLetter, kSouthStore, sideName } from "./notation.js";

// Long, slightly bent lines, closer together towards the edges, as on a plank.
function grain(geometry) {
  const lines = svg("g", { class: "grain" }), count = Math.round(geometry.height / 13);
  for (let line = 0; line < count; ++line) {
    const y = (geometry.height * (line + 0.5)) / count, sway = 9 * Math.sin(line * 1.7), lift = 7 * Math.cos(line * 2.3), w = geometry.width;
    lines.append(svg("path", {
      d: `M0 ${y} C ${w * 0.25} ${y + sway}, ${w * 0.4} ${y - lift}, ${w * 0.55} ${y + lift * 0.5} S ${w * 0.8} ${y - sway}, ${w} ${y + lift}`,
      "stroke-width": (0.7 + 1.5 * Math.abs(Math.sin(line * 3.1))).toFixed(2),
    }));
  }
  return lines;
}

// One hollow in the wood: a round pit or a long store.
function hollow(place, outer) {
  const shape = (properties, grow = 0) =>
    outer.rx === outer.ry
      ? svg("circle", { cx: place.x, cy: place.y, r: outer.rx + grow, ...properties })
      : svg("rect", {
          x: place.x - outer.rx - grow, y: place.y - outer.ry - grow, width: 2 * (outer.rx + grow), height: 2 * (outer.ry + grow),
          rx: Math.min(outer.rx, outer.ry) + grow, ...properties,
        });
  return [shape({ class: "lip" }, 3), shape({ class: "bowl", fill: "url(#bowl)" }), shape({ class: "bowl-shade", fill: "url(#bowl-shade)" }), shape({ class: "mark" })];
}

let boards = 0;

// -> {root, seeds, counts: [14], marks: [12], rings: [12], notes: [12]}
export function drawBoard(geometry) {
  const { width, height, corner } = geometry;
  const parts = { counts: [], marks: [], rings: [], notes: [], places: [] };
  const plank = { x: 3, y: 3, width: width - 6, height: height - 6, rx: corner }, clip = `plank-${++boards}`;
  const wood = svg("g", { class: "wood" },
    svg("rect", { class: "edge", ...plank, y: 8 }), svg("rect", { class: "plank", ...plank, height: height - 12, fill: "url(#plank)" }),
    svg("clipPath", { id: clip }, svg("rect", { ...plank, height: height - 12 })), svg("g", { "clip-path": `url(#${clip})` }, grain(geometry)),
    svg("rect", { class: "bevel", x: 5, y: 5, width: width - 10, height: height - 16, rx: corner - 2 }));
  const bowls = svg("g", { class: "bowls" }), words = svg("g", { class: "words" });
  geometry.places.forEach((place, index) => {
    const isPit = index < 12, outer = isPit ? { rx: place.radius, ry: place.radius } : place.outer;
    const group = svg("g", { class: isPit ? "place pit-place" : "place store-place" }, hollow(place, outer));
    bowls.append(group);
    parts.places.push(group);
    parts.counts.push(svg("text", { class: isPit ? "count" : "count store-count", ...place.number }));
    words.append(parts.counts[index]);
    if (!isPit) {
      words.append(svg("text", { class: "store-name", ...place.name }, sideName(index === kSouthStore ? "S" : "N")));
      return;
    }
    words.append(svg("text", { class: "letter", ...place.letter }, pitLetter(index)));
    parts.rings.push(svg("circle", { class: "ring", cx: place.x, cy: place.y, r: place.radius + 4, pathLength: 100, transform: `rotate(-90 ${place.x} ${place.y})` }));
    group.append(parts.rings[index]);
    parts.notes.push(svg("text", { class: "note", ...place.note }));
    words.append(parts.notes[index]);
  });
  parts.seeds = svg("g", { class: "seeds" });
  parts.root = svg("svg", { class: `board-drawing ${geometry.name}`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, wood, bowls, parts.seeds, words);
  return parts;
}
