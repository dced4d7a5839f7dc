// SPDX-License-Identifier: MIT
// The WebSocket to the server: requests with replies, and events. It reconnects by itself.

const RECONNECT_AFTER = 1000;
const MAX_MESSAGE = 1 << 16;
const NO_REPLY = "the server does not reply";

function roomInAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";  // not an address of ours
  }
}

export class Connection {
  constructor(listeners, socketOf = (room) => `live?room=${encodeURIComponent(room)}`) {
    Object.assign(this, { listeners, socketOf });
    this.pending = new Map();
    this.number = 0;
    this.room = roomInAddress();
    this.open();
  }

  open() {
    const address = new URL(this.socketOf(this.room), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    this.fresh = true;  // until the server has sent the game
    this.socket = new WebSocket(address);
    this.socket.onmessage = (message) => this.receive(JSON.parse(message.data));
    this.socket.onclose = () => this.disconnected();
  }

  receive(message) {
    if (message.event) {
      this.listeners[message.event]?.(message.data);
      return;
    }
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.error !== undefined) pending?.reject(new Error(message.error));
    else pending?.resolve(message.result);
  }

  disconnected() {
    for (const { reject } of this.pending.values()) reject(new Error(NO_REPLY));
    this.pending.clear();
    this.listeners.disconnected();
    this.checkAccess();
    setTimeout(() => this.open(), RECONNECT_AFTER);
  }

  // A restarted server does not accept the old cookie: its new link must be opened.
  async checkAccess() {
    const response = await fetch("main.js", { cache: "no-store" }).catch(() => null);
    if (response?.status === 403) this.listeners.refused();
  }

  request(name, fields = {}) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error(NO_REPLY));
        return;
      }
      this.number += 1;
      const message = JSON.stringify({ id: this.number, request: name, ...fields });
      if (new Blob([message]).size > MAX_MESSAGE) {  // the server would close the connection
        reject(new Error("this is too long: a game may have 64 kB"));
        return;
      }
      this.pending.set(this.number, { resolve, reject });
      this.socket.send(message);
    });
  }

  // The name of the room is kept in the address, so that a reload returns to it.
  setRoom(room) {
    this.room = room;
    history.replaceState(null, "", `#${encodeURIComponent(room)}`);
  }
}
