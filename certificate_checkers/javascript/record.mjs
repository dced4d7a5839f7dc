// SPDX-License-Identifier: MIT
// States as records of signed integers, and as the hexadecimal digits that stand for them.

const BYTES = { i8: 1, i16: 2, i32: 4, i64: 8 };

export class Record {
  /** fields: [name, type, length] of each; a field that is no array has length null. */
  constructor(fields) {
    this.fields = fields;
    this.size = 0;
    for (const [, type, length] of fields) this.size += BYTES[type] * (length ?? 1);
  }

  /** How the first line of a certificate describes the fields: what is no array has length 1. */
  described() {
    return this.fields.map(([name, type, length]) => [name, type, length ?? 1]);
  }

  /** The state that hexadecimal digits stand for. 64-bit integers become BigInts. */
  read(digits) {
    const bytes = Buffer.from(digits, "hex");
    const state = {};
    let at = 0;
    for (const [name, type, length] of this.fields) {
      const values = [];
      for (let i = 0; i < (length ?? 1); i++) {
        values.push(READ[type](bytes, at));
        at += BYTES[type];
      }
      state[name] = length === null ? values[0] : values;
    }
    return state;
  }

  write(state) {
    const bytes = Buffer.allocUnsafe(this.size);
    let at = 0;
    for (const [name, type, length] of this.fields) {
      for (const value of length === null ? [state[name]] : state[name]) {
        WRITE[type](bytes, value, at); // throws if the value does not fit
        at += BYTES[type];
      }
    }
    return bytes.toString("hex");
  }
}

const READ = {
  i8: (bytes, at) => bytes.readInt8(at),
  i16: (bytes, at) => bytes.readInt16LE(at),
  i32: (bytes, at) => bytes.readInt32LE(at),
  i64: (bytes, at) => bytes.readBigInt64LE(at),
};

const WRITE = {
  i8: (bytes, value, at) => bytes.writeInt8(value, at),
  i16: (bytes, value, at) => bytes.writeInt16LE(value, at),
  i32: (bytes, value, at) => bytes.writeInt32LE(value, at),
  i64: (bytes, value, at) => bytes.writeBigInt64LE(value, at),
};
