// SPDX-License-Identifier: MIT
// Browsers start no worker for pages that are opened as files, and the search needs one. For those
// pages the script of a worker runs in a hidden frame instead.

"use strict";

class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    document.documentElement.append(this.frame);
    const inside = this.frame.contentWindow;
    inside.postMessage = (data) => this.deliver(this, data);
    inside.importScripts = (...names) => Promise.all(names.map((name) => this.load(name)));
    this.ready = this.load(url);
  }

  load(url) {
    const script = this.frame.contentDocument.createElement("script");
    const loaded = new Promise((resolve, reject) => {
      script.addEventListener("load", resolve);
      script.addEventListener("error", () => reject(new Error(`${url} cannot be loaded`)));
    });
    script.src = new URL(url, document.baseURI);
    this.frame.contentDocument.documentElement.append(script);
    return loaded;
  }

  postMessage(data) {
    this.ready.then(() => this.deliver(this.frame.contentWindow, data));
  }

  deliver(target, data) {
    const event = new MessageEvent("message", { data });
    target.dispatchEvent(event);
    target.onmessage?.(event);
  }

  terminate() {
    this.frame.remove();
  }
}

if (location.protocol === "file:") window.Worker = FrameWorker;
