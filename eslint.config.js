// SPDX-License-Identifier: MIT
import js from "@eslint/js";

const browser = ["document", "window", "location", "history", "localStorage", "navigator", "fetch", "WebSocket", "URL",
  "URLSearchParams", "Blob", "File", "DOMParser", "XMLSerializer", "DOMPoint", "Image", "ResizeObserver", "ClipboardItem",
  "FileReader", "Event", "KeyboardEvent", "MouseEvent", "PointerEvent", "HTMLElement", "HTMLInputElement",
  "HTMLSelectElement", "HTMLButtonElement", "Element", "SVGElement", "SVGSVGElement", "Node", "requestAnimationFrame",
  "setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "console", "matchMedia", "addEventListener",
  "getComputedStyle", "btoa", "confirm", "queueMicrotask"];

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "max-lines": ["error", 400],
      "max-lines-per-function": ["error", 40],
      "max-len": ["error", { code: 120 }],
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-restricted-properties": ["error", ...["innerHTML", "outerHTML", "insertAdjacentHTML"].map((property) =>
        ({ property, message: "names come from games, and games may be hostile: set text, never markup" }))],
    },
  },
];
