import { createSecretKey, type KeyObject } from 'node:crypto';

/** The key-encryption keys. They wrap data keys and nothing else. As `KeyObject`s they are not printed in logs. */
export interface KeyRing {
  /** The key that wraps new data keys. */
  readonly newestId: string;
  /** Every key that can unwrap, including the newest. */
  readonly keys: ReadonlyMap<string, KeyObject>;
}

const keyBytes = 32;
const idPattern = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Reads `id:base64,id:base64`: the first entry encrypts, all decrypt. To rotate, add a new entry at the front, run
 * `rewrap` until nothing is left, then remove the old one. Messages name the entry by position, since its text is a
 * secret.
 */
export function parseKeyRing(text: string): KeyRing {
  const keys = new Map<string, KeyObject>();
  for (const [index, entry] of text.split(',').entries()) {
    const which = `Entry ${index + 1} of the key ring`;
    const [id, base64, ...more] = entry.trim().split(':');
    if (id === undefined || base64 === undefined || more.length > 0) throw new Error(`${which} must be "id:base64".`);
    if (!idPattern.test(id)) throw new Error(`${which} must have an id of 1 to 32 letters, digits, "_" or "-".`);
    if (keys.has(id)) throw new Error(`${which} has an id that an earlier entry has.`);
    const key = Buffer.from(base64, 'base64');
    if (key.length !== keyBytes) throw new Error(`${which} must be ${keyBytes} bytes in base64, not ${key.length}.`);
    keys.set(id, createSecretKey(key));
  }
  const [newestId] = keys.keys();
  if (newestId === undefined) throw new Error('The key ring is empty.');
  return { newestId, keys };
}

/** The number of secrets that one run of a rewrapping job rewraps. */
export const rewrapBatch = 1_000;
