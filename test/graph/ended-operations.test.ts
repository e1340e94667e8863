import { RequestCache } from '@pothos/plugin-scope-auth';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '../../src/call/context.ts';
import { clientOf } from '../support/client.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

let platform: TestPlatform;
let key: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  key = (await seedPartner(platform)).partnerKey;
});
afterAll(() => platform?.close());

/** The calls of which scope-auth has forgotten the context, while it still does what it did. */
let forgotten: string[];
const { clearForContext } = RequestCache;
beforeEach(() => {
  forgotten = [];
  RequestCache.clearForContext = (context) => {
    forgotten.push((context as Context).requestId);
    clearForContext(context);
  };
});
afterAll(() => {
  RequestCache.clearForContext = clearForContext;
});

const id = 'of_this_test';
const account = { legalName: 'Ended Ltd', country: 'US', currency: 'USD', externalRef: 'ended' };
const headers = { 'Request-Id': id };

test('200 by REST: the graph forgets the operation when it has ended', async () => {
  const { status } = await clientOf(platform, key).call('/auth/test', undefined, { headers });
  expect(status).toBe(200);
  expect(forgotten).toEqual([id]);
});

test('404 by REST: the graph forgets an operation that fails', async () => {
  const { status } = await clientOf(platform, key).call('/customers/cus_none', undefined, { headers });
  expect(status).toBe(404);
  expect(forgotten).toEqual([id]);
});

test('200 by /graphql: the graph forgets the operation when it has ended', async () => {
  const { errors } = await clientOf(platform, key).graphql('{ authTest { keyId } }', {}, headers);
  expect(errors).toBeUndefined();
  expect(forgotten).toEqual([id]);
});

test('200 with an Idempotency-Key: the graph forgets the context of the mutation, too', async () => {
  const { status } = await clientOf(platform, key).call('/accounts', account, {
    headers: { ...headers, 'Idempotency-Key': 'of-this-test' },
  });
  expect(status).toBe(200);
  expect(forgotten).toEqual([id, id]);
});
