// SPDX-License-Identifier: MIT
// Keyed rendering: a description of elements is brought into the document by changing what differs.
// An element with the same key stays the same element, with its focus, its scroll position and its
// listeners; a focused element is not even moved. Text is set as text, never as markup: names come from
// games, and games may be hostile.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, any>} Props */
/** @typedef {{ tag: string, key: string | undefined, props: Props, children: Content[] }} Described */
/** @typedef {Described | string | number | null | undefined | false} Content */

/** What each of our elements was last described as. @type {WeakMap<Node, { tag: string, key: string | undefined, props: Props }>} */
const described = new WeakMap();
/** @type {WeakMap<Element, Record<string, (event: any) => void>>} */
const handlers = new WeakMap();

/**
 * Describe an element. `key` tells it from its siblings; `on...` are listeners, `style` an object, and
 * `kept` leaves its children to others. An element with the same `memo` as before is left as it is.
 * @param {string} tag @param {Props | null} [props] @param {...(Content | Content[])} children @returns {Described}
 */
export function h(tag, props, ...children) {
  const { key, ...rest } = props ?? {};
  return { tag, key: key === undefined ? undefined : String(key), props: rest, children: children.flat() };
}

/** Make the children of an element these ones. @param {Element} parent @param {...(Content | Content[])} children */
export function render(parent, ...children) {
  reconcile(parent, children.flat());
}

/** @param {Element} parent @param {Content[]} children */
function reconcile(parent, children) {
  const wanted = children.filter((child) => child !== null && child !== undefined && child !== false);
  const old = [...parent.childNodes];
  const free = reusable(old);
  const nodes = wanted.map((child) => nodeFor(parent, child, free));
  const kept = new Set(nodes);
  const focused = document.activeElement;
  const lost = old.findIndex((node) => !kept.has(node) && node.contains(focused));
  for (const node of old) if (!kept.has(node)) node.remove();
  arrange(parent, nodes);
  if (lost >= 0 && focused !== document.body) focusNear(parent, nodes, lost);
}

/** Old nodes by key, or by tag and order where they have none. @param {ChildNode[]} old */
function reusable(old) {
  /** @type {Map<string, ChildNode[]>} */
  const free = new Map();
  for (const node of old) {
    const was = described.get(node);
    const id = was ? idOf(was) : node.nodeType === Node.TEXT_NODE ? "#text" : "#other";
    const same = free.get(id);
    if (same) same.push(node);
    else free.set(id, [node]);
  }
  return free;
}

/** @param {{ tag: string, key: string | undefined }} what */
const idOf = ({ tag, key }) => (key === undefined ? `<${tag}` : `${tag} ${key}`);

/** @param {Element} parent @param {string | number | Described} child @param {Map<string, ChildNode[]>} free */
function nodeFor(parent, child, free) {
  if (typeof child === "string" || typeof child === "number") {
    const node = free.get("#text")?.shift() ?? document.createTextNode("");
    if (node.nodeValue !== String(child)) node.nodeValue = String(child);
    return node;
  }
  const element = /** @type {Element} */ (free.get(idOf(child))?.shift()) ?? create(parent, child.tag);
  patch(element, child);
  return element;
}

/** @param {Element} parent @param {string} tag */
function create(parent, tag) {
  const inSvg = tag === "svg" || (parent.namespaceURI === SVG && parent.tagName !== "foreignObject");
  return inSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
}

/** @param {Element} element @param {Described} child */
function patch(element, child) {
  const before = described.get(element)?.props ?? {};
  if (child.props.memo !== undefined && before.memo === child.props.memo) return;
  for (const name of Object.keys(before))
    if (!(name in child.props)) setProperty(element, name, undefined, before[name]);
  for (const [name, value] of Object.entries(child.props)) {
    if (before[name] !== value && name !== "value") setProperty(element, name, value, before[name]);
  }
  described.set(element, { tag: child.tag, key: child.key, props: child.props });
  if (!child.props.kept) reconcile(element, child.children);
  // After the options of a select; and only if it has changed, so that what is being typed stays.
  if ("value" in child.props && before.value !== child.props.value)
    setProperty(element, "value", child.props.value, null);
}

/** @param {any} element @param {string} name @param {any} value @param {any} before */
function setProperty(element, name, value, before) {
  if (name.startsWith("on")) listen(element, name.slice(2), value);
  else if (name === "kept" || name === "memo") return;
  else if (name === "style") restyle(element, value ?? {}, before ?? {});
  else if (name === "value" || name === "checked") element[name] = value ?? "";
  else if (value === undefined || value === null || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** A listener stays; what it calls may change. @param {Element} element @param {string} type @param {((event: any) => void) | undefined} handler */
function listen(element, type, handler) {
  let own = handlers.get(element);
  if (!own) handlers.set(element, (own = {}));
  if (!(type in own)) element.addEventListener(type, (event) => handlers.get(element)?.[type]?.(event));
  own[type] = handler ?? (() => {});
}

/** @param {HTMLElement | SVGElement} element @param {Record<string, string>} style @param {Record<string, string>} before */
function restyle(element, style, before) {
  for (const name of Object.keys(before)) if (!(name in style)) element.style.removeProperty(name);
  for (const [name, value] of Object.entries(style)) if (before[name] !== value) element.style.setProperty(name, value);
}

/** Put the nodes in order, moving the others around the one that has the focus. @param {Element} parent @param {Node[]} nodes */
function arrange(parent, nodes) {
  const focused = document.activeElement;
  const fixed = nodes.findIndex((node) => node.parentNode === parent && node.contains(focused));
  place(parent, nodes.slice(0, Math.max(0, fixed)), parent.firstChild);
  place(parent, nodes.slice(fixed + 1), fixed < 0 ? parent.firstChild : nodes[fixed].nextSibling);
}

/** @param {Element} parent @param {Node[]} nodes @param {ChildNode | null} cursor */
function place(parent, nodes, cursor) {
  for (const node of nodes) {
    if (node === cursor) cursor = cursor.nextSibling;
    else parent.insertBefore(node, cursor);
  }
}

const FOCUSABLE = "button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled), [tabindex]";

/** The focused element is gone: focus what took its place. @param {Element} parent @param {Node[]} nodes @param {number} index */
function focusNear(parent, nodes, index) {
  const near = [...nodes.slice(index), ...nodes.slice(0, index).reverse()];
  for (const node of near) {
    if (!(node instanceof Element)) continue;
    const found = node.matches(FOCUSABLE) ? node : node.querySelector(FOCUSABLE);
    if (found) {
      /** @type {HTMLElement} */ (found).focus({ preventScroll: true });
      return;
    }
  }
  /** @type {HTMLElement | null} */ (parent.closest("[tabindex]"))?.focus({ preventScroll: true });
}
