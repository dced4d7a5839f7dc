// SPDX-License-Identifier: MIT
// The position for others: as a link, as text, as SVG and as PNG.

import { writeAddress } from "./address.js";
import { showText } from "./dialogs.js";
import { announce, element } from "./elements.js";

/** @import { App } from "./app.js" */

const PIXELS = 1000; // of a picture, at most

/** @param {string} title @param {string} text */
async function copyText(title, text) {
  try {
    await navigator.clipboard.writeText(text);
    announce(`${title} copied.`);
    return true;
  } catch {
    showText(title, text); // without https the clipboard is closed to pages
    return false;
  }
}

/** A link to the position; it works without this room. @param {App} app */
export function linkOf(app) {
  const { game, position } = app;
  if (!game || !position) return location.href;
  return new URL(
    writeAddress({ game: game.game, moves: position.line, ply: position.ply }),
    location.href.split("#")[0],
  ).href;
}

/** @param {Blob} blob @param {string} name */
export function download(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Draw an SVG as pixels. @param {string} svg @returns {Promise<Blob>} */
async function pngOf(svg) {
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    await new Promise((resolve, reject) => {
      image.onload = resolve;
      image.onerror = () => reject(new Error("the browser cannot draw this picture"));
      image.src = address;
    });
    const scale = PIXELS / Math.max(image.width, image.height, 1);
    const canvas = element("canvas", {
      width: Math.round(image.width * scale),
      height: Math.round(image.height * scale),
    });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Copy the position in one of these forms. @param {App} app @param {"link" | "text" | "svg" | "png"} form */
export async function copy(app, form) {
  if (form === "link") return copyText("Link", linkOf(app));
  const picture = await app.request("picture", { values: app.valuesShown });
  if (form === "text") return copyText("Board", picture.text);
  if (form === "svg") return copyText("SVG", picture.svg);
  const png = await pngOf(picture.svg);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    announce("Picture copied.");
  } catch {
    download(png, "position.png");
  }
  return true;
}
