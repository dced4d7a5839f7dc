// SPDX-License-Identifier: MIT
// The line to the server: requests with answers, and events. It calls again when it was cut.

const RETRY_AFTER = 1000;
const LONGEST_MESSAGE = 1 << 16;

function roomInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";  // not an address that we have made
  }
}

export class Connection {
  constructor(listeners) {
    this.listeners = listeners;
    this.waiting = new Map();
    this.number = 0;
    this.room = roomInAddress();
    this.open();
  }

  open() {
    const address = new URL(`live?room=${encodeURIComponent(this.room)}`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.fresh = true;  // until the server has told of the game
    this.socket = new WebSocket(address);
    this.socket.onmessage = (message) => this.hear(JSON.parse(message.data));
    this.socket.onclose = () => this.lost();
  }

  hear(message) {
    if (message.event) {
      this.listeners[message.event]?.(message.what);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error !== undefined) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.answer);
  }

  lost() {
    for (const { reject } of this.waiting.values()) reject(new Error("the server does not answer"));
    this.waiting.clear();
    this.listeners.lost();
    this.findOutWhy();
    setTimeout(() => this.open(), RETRY_AFTER);
  }

  // A server that was started anew does not know this browser: it needs its new link.
  async findOutWhy() {
    const answer = await fetch("main.js", { cache: "no-store" }).catch(() => null);
    if (answer?.status === 403) this.listeners.stranger();
  }

  ask(what, fields = {}) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error("the server does not answer"));
        return;
      }
      this.number += 1;
      const message = JSON.stringify({ id: this.number, do: what, ...fields });
      if (new Blob([message]).size > LONGEST_MESSAGE) {  // the server would cut the line
        reject(new Error("that is too long: a game may have 64 kB"));
        return;
      }
      this.waiting.set(this.number, { resolve, reject });
      this.socket.send(message);
    });
  }

  // The name of the room is kept in the address, so that a reload comes back to it.
  nameRoom(room) {
    this.room = room;
    history.replaceState(null, "", `#${encodeURIComponent(room)}`);
  }
}
