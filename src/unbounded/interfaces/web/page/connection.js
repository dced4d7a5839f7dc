// SPDX-License-Identifier: MIT
// The WebSocket to the server: requests with replies, and events. It reconnects by itself, less and less
// often while the server does not answer.

const FIRST_WAIT = 500,
  LONGEST_WAIT = 20_000;
const MAX_MESSAGE = 1 << 16;
const NO_REPLY = "the server does not reply";

/** Milliseconds before the next attempt, after some that failed. @param {number} failures */
export const waitAfter = (failures) => Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(failures, 10));

/** One socket, and the replies that it owes. */
class Channel {
  /** @param {URL} address @param {(event: string, data: any) => void} onEvent @param {() => void} onClose */
  constructor(address, onEvent, onClose) {
    /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
    this.pending = new Map();
    this.number = 0;
    this.socket = new WebSocket(address);
    this.socket.onmessage = (message) => {
      const read = JSON.parse(message.data);
      if (read.event) onEvent(read.event, read.data);
      else this.settle(read);
    };
    this.socket.onclose = () => {
      for (const { reject } of this.pending.values()) reject(new Error(NO_REPLY));
      this.pending.clear();
      onClose();
    };
  }

  /** @param {{ id: number, result?: any, error?: string }} reply */
  settle(reply) {
    const pending = this.pending.get(reply.id);
    this.pending.delete(reply.id);
    if (reply.error !== undefined) pending?.reject(new Error(reply.error));
    else pending?.resolve(reply.result);
  }

  /** @param {string} name @param {Record<string, any>} fields @returns {Promise<any>} */
  request(name, fields) {
    return new Promise((resolve, reject) => {
      if (this.socket.readyState !== WebSocket.OPEN) {
        reject(new Error(NO_REPLY));
        return;
      }
      this.number += 1;
      const message = JSON.stringify({ id: this.number, request: name, ...fields });
      if (new Blob([message]).size > MAX_MESSAGE) {
        // the server would close the connection
        reject(new Error("this is too long: a message may have 64 kB"));
        return;
      }
      this.pending.set(this.number, { resolve, reject });
      this.socket.send(message);
    });
  }

  close() {
    this.socket.onclose = null;
    for (const { reject } of this.pending.values()) reject(new Error(NO_REPLY));
    // Browsers complain about a socket that is closed before it is open.
    if (this.socket.readyState === WebSocket.CONNECTING) this.socket.onopen = () => this.socket.close();
    else this.socket.close();
  }
}

export class Connection {
  /**
   * @param {Record<string, (data?: any) => void>} listeners @param {string} [room]
   * @param {(room: string) => string} [socketOf]
   */
  constructor(listeners, room = "", socketOf = (name) => `live?room=${encodeURIComponent(name)}`) {
    this.listeners = listeners;
    this.socketOf = socketOf;
    this.room = room;
    this.failures = 0;
    this.fresh = true; // until the server has sent the game
    this.channel = this.open(room);
  }

  /** @param {string} room */
  address(room) {
    const address = new URL(this.socketOf(room), location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    return address;
  }

  /** @param {string} room */
  open(room) {
    this.fresh = true;
    /** @type {Channel} */
    const channel = new Channel(
      this.address(room),
      (event, data) => {
        if (channel === this.channel) {
          this.failures = 0;
          this.listeners[event]?.(data);
        }
      },
      () => {
        if (channel === this.channel) this.disconnected();
      },
    );
    return channel;
  }

  disconnected() {
    this.listeners.disconnected();
    this.checkAccess();
    setTimeout(() => {
      this.channel = this.open(this.room);
    }, waitAfter(this.failures));
    this.failures += 1;
  }

  /** A restarted server does not accept the old cookie: its new link must be opened. */
  async checkAccess() {
    const response = await fetch("main.js", { cache: "no-store" }).catch(() => null);
    if (response?.status === 403) this.listeners.refused();
  }

  /** @param {string} name @param {Record<string, any>} [fields] @returns {Promise<any>} */
  request(name, fields = {}) {
    return this.channel.request(name, fields);
  }

  /** Show another room. @param {string} room */
  enter(room) {
    this.channel.close();
    this.room = room;
    this.channel = this.open(room);
  }

  /**
   * Make a new room and prepare it; the present one is shown until that has succeeded.
   * @param {(request: (name: string, fields?: Record<string, any>) => Promise<any>) => Promise<any>} prepare
   */
  async enterNew(prepare) {
    /** @type {string} */
    const room = await new Promise((resolve, reject) => {
      let preparing = false;
      const channel = new Channel(
        this.address(""),
        async (event, data) => {
          if (event === "error") reject(new Error(data));
          if (event !== "game" || preparing) return;
          preparing = true;
          try {
            await prepare((name, fields = {}) => channel.request(name, fields));
            resolve(data.room);
          } catch (error) {
            reject(error);
          }
          setTimeout(() => channel.close(), 2000); // not before the page is there: then the room is never empty
        },
        () => reject(new Error(NO_REPLY)),
      );
    });
    this.enter(room);
  }
}
