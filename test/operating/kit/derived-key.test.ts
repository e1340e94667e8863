import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkoutToken, tokenHashOf, tokenOfSession } from '../../../src/domains/funnels/sessions/rows.ts';
import { earlierKeyedHash, keyedHash } from '../../../src/keys/derived-key.ts';
import { assertSameRequest } from '../../../src/unit-of-work/idempotency.ts';

const fingerprintKey = randomBytes(32);

test('a text has another hash for each purpose, and for each key', () => {
  const hashes = [
    keyedHash(fingerprintKey, 'request-hash', 'x'),
    keyedHash(fingerprintKey, 'checkout-token', 'x'),
    keyedHash(fingerprintKey, 'connect-state', 'x'),
    keyedHash(randomBytes(32), 'connect-state', 'x'),
    earlierKeyedHash(fingerprintKey, 'x'),
  ];
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(keyedHash(fingerprintKey, 'request-hash', 'x')).toBe(hashes[0]);
});

test('the link of a session of an earlier version stays the same', () => {
  const earlier = earlierKeyedHash(fingerprintKey, 'funnel-session/fs_1');
  const token = checkoutToken({ fingerprintKey }, 'fs_1');
  const tokenFor = (stored: string) =>
    tokenOfSession({ fingerprintKey }, { id: 'fs_1', tokenHash: tokenHashOf(stored) });
  expect([tokenFor(earlier), tokenFor(token)]).toEqual([earlier, token]);
});

test('a request that an earlier version stored is recognized, and another one is not', () => {
  const call = { requestHash: earlierKeyedHash(fingerprintKey, 'body'), subjectId: null, answer: {} };
  const repeated = (body: string) => () =>
    assertSameRequest(call, {
      owner: 'o',
      operation: 'x',
      key: 'k',
      at: new Date(),
      requestHash: keyedHash(fingerprintKey, 'request-hash', body),
      earlierRequestHash: earlierKeyedHash(fingerprintKey, body),
    });
  expect(repeated('body')).not.toThrow();
  expect(repeated('other')).toThrow(/another body/);
});
