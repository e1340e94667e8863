import { RequestCache } from '@pothos/plugin-scope-auth';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Context } from '../../src/graph/context.ts';
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
afterEach(() => void vi.restoreAllMocks());

/** The calls of which scope-auth has forgotten the context, while it still does what it did. */
function forgottenCalls(): () => string[] {
  const forget = vi.spyOn(RequestCache, 'clearForContext');
  return () => forget.mock.calls.map(([context]) => (context as Context).requestId);
}

const id = 'of_this_test';
const headers = { 'Request-Id': id };

test('200 by REST: the graph forgets the operation when it has ended', async () => {
  const forgotten = forgottenCalls();
  const { status } = await clientOf(platform, key).call('/auth/test', undefined, { headers });
  expect(status).toBe(200);
  expect(forgotten()).toEqual([id]);
});

test('404 by REST: the graph forgets an operation that fails', async () => {
  const forgotten = forgottenCalls();
  const { status } = await clientOf(platform, key).call('/customers/cus_none', undefined, { headers });
  expect(status).toBe(404);
  expect(forgotten()).toEqual([id]);
});

test('200 by /graphql: the graph forgets the operation when it has ended', async () => {
  const forgotten = forgottenCalls();
  const { errors } = await clientOf(platform, key).graphql('{ authTest { keyId } }', {}, headers);
  expect(errors).toBeUndefined();
  expect(forgotten()).toEqual([id]);
});
