import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decryptSecret,
  encryptSecret,
  newDataKey,
  open,
  rewrapDataKey,
  rewrapSecret,
  seal,
  unwrapDataKey,
  VaultFailure,
} from '../../../src/keys/envelope.ts';
import { parseKeyRing } from '../../../src/keys/key-ring.ts';

const newKey = () => randomBytes(32).toString('base64');
const [oldKey, youngKey] = [newKey(), newKey()];
const oldRing = parseKeyRing(`old:${oldKey}`);
const bothRing = parseKeyRing(`young:${youngKey},old:${oldKey}`);
const youngRing = parseKeyRing(`young:${youngKey}`);

describe('envelope', () => {
  const { dataKey } = newDataKey(oldRing, 'a');

  test('any sealed content opens again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (content, context) => {
        expect(open(dataKey, seal(dataKey, Buffer.from(content), context), context).equals(content)).toBe(true);
      }),
    );
  });

  test('a change of any byte is detected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.nat(), fc.integer({ min: 1, max: 255 }), (content, at, flip) => {
        const sealed = seal(dataKey, Buffer.from(content), 'a');
        const index = at % sealed.length;
        sealed.writeUInt8(sealed.readUInt8(index) ^ flip, index);
        expect(() => open(dataKey, sealed, 'a')).toThrow(VaultFailure);
      }),
    );
  });

  test('a truncation at any place is detected', () => {
    const sealed = seal(dataKey, Buffer.from('4242'), 'a');
    for (let length = 0; length < sealed.length; length++)
      expect(() => open(dataKey, sealed.subarray(0, length), 'a')).toThrow(VaultFailure);
  });

  test('content sealed for one place does not open at another', () => {
    expect(() => open(dataKey, seal(dataKey, Buffer.from('x'), 'a'), 'b')).toThrow(VaultFailure);
  });

  test('a wrapped data key opens neither at another place nor as content', () => {
    const { wrappedKey } = newDataKey(oldRing, 'a');
    expect(() => unwrapDataKey(oldRing, wrappedKey, 'b')).toThrow(VaultFailure);
    const kek = oldRing.keys.get('old');
    expect(kek && (() => open(kek, wrappedKey.wrapped, 'a'))).toThrow(VaultFailure);
  });

  test('the same content sealed twice has different bytes', () => {
    expect(seal(dataKey, Buffer.from('x'), 'a').equals(seal(dataKey, Buffer.from('x'), 'a'))).toBe(false);
  });

  test('a rewrapped data key is the same key and needs the new ring only', () => {
    const made = newDataKey(oldRing, 'a');
    const sealed = seal(made.dataKey, Buffer.from('x'), 'a');
    const moved = rewrapDataKey(bothRing, made.wrappedKey, 'a');
    expect(moved.keyId).toBe('young');
    expect(open(unwrapDataKey(youngRing, moved, 'a'), sealed, 'a').toString()).toBe('x');
  });
});

describe('key ring', () => {
  test('the first entry encrypts and all entries decrypt', () => {
    expect(bothRing.newestId).toBe('young');
    expect(decryptSecret(bothRing, encryptSecret(oldRing, 's', 'a'), 'a')).toBe('s');
    expect(decryptSecret(youngRing, encryptSecret(bothRing, 's', 'a'), 'a')).toBe('s');
  });

  test('a missing key is named when it is needed', () => {
    const made = encryptSecret(oldRing, 's', 'a');
    expect(() => decryptSecret(youngRing, made, 'a')).toThrow('no key "old"');
  });

  test.each([
    ['nothing', '', 'Entry 1 of the key ring must be "id:base64".'],
    ['no id', `:${oldKey}`, 'must have an id of 1 to 32'],
    ['an id of 33 characters', `${'k'.repeat(33)}:${oldKey}`, 'must have an id of 1 to 32'],
    ['a key of 31 bytes', `a:${randomBytes(31).toString('base64')}`, 'not 31'],
    ['a key of 33 bytes', `a:${randomBytes(33).toString('base64')}`, 'not 33'],
    ['an id twice', `a:${oldKey},a:${youngKey}`, 'Entry 2 of the key ring has an id that an earlier entry has.'],
  ])('%s is rejected', (_, text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
  });

  test('an id of 32 characters and spaces around entries are accepted', () => {
    expect(parseKeyRing(` ${'k'.repeat(32)}:${oldKey} , b:${youngKey} `).keys.size).toBe(2);
  });

  test('neither printing it nor an error shows a key', () => {
    expect(inspect(bothRing, { depth: 9, showHidden: true })).not.toContain(oldKey.slice(0, 10));
    expect(JSON.stringify([...bothRing.keys])).not.toContain(oldKey.slice(0, 10));
    expect(() => parseKeyRing(`${oldKey}:${oldKey}:${oldKey}`)).toThrow(
      /^Entry 1 of the key ring must be "id:base64"\.$/,
    );
  });
});

describe('secrets', () => {
  test('any string is decrypted, in its own row only', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (secret) => {
        const text = encryptSecret(bothRing, secret, 'webhook:wh_1');
        expect(decryptSecret(bothRing, text, 'webhook:wh_1')).toBe(secret);
        expect(() => decryptSecret(bothRing, text, 'webhook:wh_2')).toThrow(VaultFailure);
      }),
    );
  });

  test('a rewrapped secret needs the newest key only', () => {
    const moved = rewrapSecret(bothRing, encryptSecret(oldRing, 's', 'a'), 'a');
    expect(decryptSecret(youngRing, moved, 'a')).toBe('s');
  });

  test.each([
    '',
    'plain',
    'v2.a.b.c',
    'v1.a.b',
    'v1.old.AA.AA',
    'v1.a.b.c.d',
  ])('text that is no encrypted secret is rejected: "%s"', (text) => {
    expect(() => decryptSecret(oldRing, text, 'a')).toThrow(VaultFailure);
  });
});
