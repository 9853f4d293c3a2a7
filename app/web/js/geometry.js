// Where things lie on the board, in the drawing's own units. Two shapes: stores at the ends on wide screens, above and below on narrow ones.
// `rows`: the row further from the player first. A pit's number stands in the rim beside it, what the engine thinks further out.
const kWide = {
  name: "wide", width: 1150, height: 452, corner: 64, pit: 60, seed: 25, columns: [225, 365, 505, 645, 785, 925], rows: [158, 294],
  numbers: [84, 390], letters: [84, 390], notes: [52, 422], letterShift: -34,
  stores: [
    { x: 86, y: 226, rx: 50, ry: 128, count: { x: 86, y: 400 }, name: { x: 86, y: 74 } },
    { x: 1064, y: 226, rx: 50, ry: 128, count: { x: 1064, y: 400 }, name: { x: 1064, y: 74 } },
  ],
};
const kNarrow = {
  name: "narrow", width: 640, height: 640, corner: 56, pit: 46, seed: 22, columns: [75, 173, 271, 369, 467, 565], rows: [260, 366],
  numbers: [196, 448], letters: [196, 448], notes: [160, 484], letterShift: -36,
  stores: [
    { x: 268, y: 84, rx: 228, ry: 44, count: { x: 556, y: 104 }, name: { x: 556, y: 66 } },
    { x: 372, y: 556, rx: 228, ry: 44, count: { x: 84, y: 576 }, name: { x: 84, y: 538 } },
  ],
};

// Places 0..13 (pits, then South's and North's store) of a board seen by South, or by North where it is turned.
export function geometryFor(narrow, turned) {
  const shape = narrow ? kNarrow : kWide;
  const near = turned ? 1 : 0;  // who sits at the lower edge: 0 South
  const places = [];
  for (let pit = 0; pit < 12; ++pit) {
    const lower = Math.floor(pit / 6) === near, step = pit % 6, row = lower ? 1 : 0, column = lower ? step : 5 - step;
    const x = shape.columns[column];
    places.push({
      x, y: shape.rows[row], rx: shape.pit - shape.seed * 0.62, ry: shape.pit - shape.seed * 0.62, radius: shape.pit, row, column,
      number: { x, y: shape.numbers[row] }, letter: { x: x + shape.letterShift, y: shape.letters[row] }, note: { x, y: shape.notes[row] },
    });
  }
  for (const side of [0, 1]) {
    const store = shape.stores[side === near ? 1 : 0];
    places.push({ ...store, outer: { rx: store.rx, ry: store.ry }, rx: store.rx - shape.seed * 0.75, ry: store.ry - shape.seed * 0.75, number: store.count });
  }
  return { ...shape, turned, places };
}

// Pits in reading order: upper row from left to right, then the lower one.
export function readingOrder(geometry) {
  return [...Array(12).keys()].sort((a, b) => geometry.places[a].row - geometry.places[b].row || geometry.places[a].column - geometry.places[b].column);
}
