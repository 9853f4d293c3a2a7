// How n seeds lie in a pit: close together like a poured handful, and never alike in two pits. The same pit and count always give the same picture.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pictures = new Map();

// Centres of `count` seeds of a diameter in an ellipse of half-axes rx, ry about 0, with an angle each: [{x, y, turn}].
export function arrange(count, rx, ry, diameter, salt) {
  const key = `${count}/${rx}/${ry}/${salt}`;
  if (!pictures.has(key)) pictures.set(key, settle(count, rx, ry, diameter, salt));
  return pictures.get(key);
}

function settle(count, rx, ry, diameter, salt) {
  const random = generator(salt * 7919 + count * 104729 + 17);
  // Seeds lie side by side while there is room, and on top of each other when there is none.
  const closest = Math.min(diameter * 0.98, Math.sqrt((0.86 * Math.PI * rx * ry) / (0.866 * Math.max(count, 1))));
  const points = Array.from({ length: count }, (_, index) => {
    const far = Math.sqrt((index + random()) / count), angle = index * 2.39996 + random() * 1.4 + salt;
    return { x: far * rx * 0.8 * Math.cos(angle), y: far * ry * 0.8 * Math.sin(angle), turn: Math.round(random() * 360) };
  });
  for (let round = 0; round < 70; ++round) {
    const pull = round < 50 ? 0.035 : 0;
    for (const point of points) {
      point.x *= 1 - pull;
      point.y *= 1 - pull;
    }
    for (let i = 0; i < count; ++i) {
      for (let j = i + 1; j < count; ++j) push(points[i], points[j], closest);
    }
    for (const point of points) {
      const out = Math.hypot(point.x / rx, point.y / ry);
      if (out > 1) {
        point.x /= out;
        point.y /= out;
      }
    }
  }
  return points;
}

function push(a, b, closest) {
  const dx = b.x - a.x, dy = b.y - a.y, distance = Math.hypot(dx, dy);
  if (distance >= closest) return;
  const part = distance > 0.001 ? (closest - distance) / (2 * distance) : 0;
  a.x -= dx * part;
  a.y -= dy * part;
  b.x += dx * part;
  b.y += dy * part;
}

// Gives each slot to the seed that lies nearest, so that as little as possible moves. Returns the slot of each seed.
export function match(seeds, slots) {
  const pairs = [];
  seeds.forEach((seed, i) => slots.forEach((slot, j) => pairs.push([(seed.x - slot.x) ** 2 + (seed.y - slot.y) ** 2, i, j])));
  pairs.sort((a, b) => a[0] - b[0]);
  const slotOf = Array(seeds.length).fill(-1), taken = Array(slots.length).fill(false);
  for (const [, i, j] of pairs) {
    if (slotOf[i] >= 0 || taken[j]) continue;
    slotOf[i] = j;
    taken[j] = true;
  }
  return slotOf;
}
