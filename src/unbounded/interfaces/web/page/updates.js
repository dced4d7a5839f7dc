// SPDX-License-Identifier: MIT
// When the page is drawn again: at most once a frame, and never between the press of a button and its
// release, so that what is pressed is what is clicked.

const LONGEST_PRESS = 3000;
const AFTER_TOUCH = 60; // a touch is a click only some milliseconds after its end

let pressed = false,
  wanted = false;
/** @type {number | undefined} */
let timer;
/** @type {() => void} */
let drawing = () => {};

/** Draw the page with this function. @param {() => void} draw */
export function drawWith(draw) {
  drawing = draw;
}

/** Something has changed: draw soon. */
export function update() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(drawIfFree);
}

function drawIfFree() {
  if (pressed || !wanted) return;
  wanted = false;
  const focused = document.activeElement;
  drawing();
  if (focused && focused !== document.body) keepFocus(focused);
}

const FOCUSABLE = "button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled), [tabindex]";

/** An element that was hidden or disabled while it had the focus passes it on to what is near. @param {Element} focused */
function keepFocus(focused) {
  const usable = (/** @type {Element} */ element) =>
    element.getClientRects().length > 0 && !element.matches(":disabled");
  if (!focused.isConnected || usable(focused)) return;
  for (let near = focused.parentElement; near; near = near.parentElement) {
    const found = [...near.querySelectorAll(FOCUSABLE)].find(usable);
    if (found) {
      /** @type {HTMLElement} */ (found).focus({ preventScroll: true });
      return;
    }
  }
}

function release() {
  clearTimeout(timer);
  pressed = false;
  if (wanted) requestAnimationFrame(drawIfFree);
}

document.addEventListener(
  "pointerdown",
  () => {
    pressed = true;
    clearTimeout(timer);
    timer = setTimeout(release, LONGEST_PRESS);
  },
  { capture: true },
);
for (const type of ["pointerup", "pointercancel"]) {
  document.addEventListener(
    type,
    (event) => {
      clearTimeout(timer);
      const touch = /** @type {PointerEvent} */ (event).pointerType !== "mouse";
      timer = setTimeout(release, touch ? AFTER_TOUCH : 0);
    },
    { capture: true },
  );
}
