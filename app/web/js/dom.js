// Elements without a framework. The page's policy forbids style attributes in markup; `style` here goes through the object model, which it allows.
const kSvg = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => fill(document.createElementNS(kSvg, tag), properties, children);

export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("use", { href: `#icon-${name}` }));
}

export function button(label, properties = {}, iconName = null) {
  const { class: extra = "", ...rest } = properties;
  return h("button", { type: "button", class: `button ${extra}`.trim(), ...rest }, iconName && icon(iconName), h("span", {}, label));
}

// Replaces the children only where they differ in identity, so that an unchanged focus stays.
export function replace(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
}

export const number = (value, digits = 0) => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
export const signed = (value, digits = 0) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${number(Math.abs(value), digits)}`;
export const percent = (share) => `${number(100 * share)} %`;
export const seeds = (count) => `${number(count)} ${count === 1 ? "seed" : "seeds"}`;

// Speaks to screen readers; the element is in index.html.
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

export const wantsStillness = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
