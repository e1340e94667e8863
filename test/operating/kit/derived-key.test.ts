import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { keyedHash } from '../../../src/keys/derived-key.ts';

const fingerprintKey = randomBytes(32);

test('a text has another hash for each purpose, and for each key', () => {
  const hashes = [
    keyedHash(fingerprintKey, 'request-hash', 'x'),
    keyedHash(fingerprintKey, 'checkout-token', 'x'),
    keyedHash(fingerprintKey, 'connect-state', 'x'),
    keyedHash(randomBytes(32), 'connect-state', 'x'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(keyedHash(fingerprintKey, 'request-hash', 'x')).toBe(hashes[0]);
});
