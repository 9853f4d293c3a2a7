// What outlives the page. A browser without storage (or with damaged entries) still plays; it only forgets.
export function load(key, fallback) {
  try {
    const text = localStorage.getItem(`wari.${key}`);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

export function save(key, value) {
  try {
    localStorage.setItem(`wari.${key}`, JSON.stringify(value));
  } catch {
    // Full or forbidden: the game goes on without it.
  }
}
