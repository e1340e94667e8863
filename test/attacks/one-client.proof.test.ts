import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { networkOf } from '../../src/lib/network.ts';
import { peopleOf } from '../iam/identity/people.ts';
import { usePlatform } from '../support/platform.ts';

const hourMs = 3_600_000;
/** Begins with an hour of the clock, so that every window does. */
const clock = manualClock(new Date(Math.ceil(Date.now() / hourMs) * hourMs));
const platform = await usePlatform({ identityProvider: 'embedded', clock, env: { TRUST_PROXY: '1' } });
const people = peopleOf(platform);
const { cookie } = await people.signIn(await people.create());

interface Asked {
  path: string;
  /** Sent as JSON by POST. */
  body?: object;
  headers?: Record<string, string>;
}

const own = { Origin: platform.url };
const id = '0000000000000000000000';
const password = 'wrong wrong';
const link = `sub_${id}.1.none`;

/** Of each limit that counts in the database: a request that it counts, and how many are answered in its window. */
const inDatabase: Readonly<Record<string, Asked & { max: number }>> = {
  'sign-in': { max: 200, path: 'idp/sign-in/email', body: { email: 'unknown@example.com', password } },
  reset: { max: 20, path: 'idp/forgot-password', body: { email: 'unknown@example.com' } },
  'reset-page': { max: 60, path: 'idp/reset-password?token=none' },
  'reset-page (form)': { max: 60, path: 'idp/reset-password', body: { token: 'none', password } },
  accept: { max: 200, path: 'idp/accept', body: { ticket: 'none', password } },
  'accept (join)': { max: 200, path: 'join', body: { partnerSlug: 'none' }, headers: { ...own, Cookie: cookie } },
  'fields-read': { max: 1_200, path: 'fields/session', body: {}, headers: own },
  'fields-submit': { max: 200, path: 'fields/submit', body: {}, headers: own },
  'cardholder-read': { max: 1_200, path: `cardholder/${link}` },
  'cardholder-act': { max: 200, path: `cardholder/${link}/confirm`, body: {}, headers: own },
  'checkout-read': { max: 1_200, path: `checkout/sessions/${id}` },
  'checkout-enter': { max: 60, path: `checkout/funnels/funnel_${id}` },
  'checkout-act': { max: 200, path: `checkout/sessions/${id}/next`, body: { stepId: 'landing' }, headers: own },
};

/** Of each file with a limit that counts in the process: a request that it counts, and how many are answered. */
const inProcess: Readonly<Record<string, Asked & { max: number }>> = {
  'graphql.ts': { path: 'graphql', body: { query: '{ __typename }' }, max: 300 },
  'pages/merchants/connect.ts': { path: 'test/connect/token', body: {}, max: 120 },
  'pages/shoppers/brand.ts': { path: 'brand/none', max: 1_200 },
  'pages/shoppers/card-fields.ts': { path: `fields/frame/cs_${id}`, max: 1_200 },
  'pages/shoppers/plugin-pages.ts': { path: 'p/nowhere', max: 1_200 },
};
/** Its pages are those of Clerk alone. The limit is the same function. */
const ofClerk = ['pages/people/hosted-sign-in.ts'];

/** What counts by itself, with `networkOf`, and where it is shown that a /64 is one client. */
const apart = {
  'src/adapters/embedded-idp/engine-calls.ts': 'sign-in.test.ts',
  'src/limits/connections.ts': 'slow-network.test.ts',
  'src/limits/body-memory.ts': 'body-memory.test.ts',
  'src/limits/windows.ts': 'here',
  'src/domains/instruments/card-attempts.ts': 'card-testing.test.ts',
  'src/iam/identity/sign-in-rule.ts': 'sign-in.test.ts',
};

async function statusOf({ path, body, headers }: Asked, address: string): Promise<number> {
  const response = await fetch(`${platform.url}/${path}`, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    headers: { 'X-Forwarded-For': address, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

const fillWindows = () =>
  platform.services.pool.query("UPDATE limits.windows SET calls = 100000 WHERE subject LIKE '%/address/%'");

/** Each as another way to write an address of the same client, and at last an address of another one. */
const clients = [
  { first: '2001:db8:0:1::1', same: '2001:DB8::1:ffff:0:0:2', other: '2001:db8:0:2::1' },
  { first: '198.51.100.1', same: '::ffff:198.51.100.1', other: '198.51.100.2' },
];

describe('what one client is', () => {
  beforeEach(() => clock.advance(hourMs));

  test.each(
    Object.entries(inDatabase),
  )('429 for every address of one /64 beyond the limit: %s', async (_name, asked) => {
    for (const { first, same, other } of clients) {
      expect(await statusOf(asked, first)).not.toBe(429);
      await fillWindows();
      expect(await statusOf(asked, same), same).toBe(429);
      expect(await statusOf(asked, other), other).not.toBe(429);
    }
  });

  test.each(
    Object.entries(inDatabase).map(([name, asked]) => [name, asked.max, asked] as const),
  )('429 for one request above the limit of an address: %s, %d', async (_name, max, asked) => {
    expect(await statusOf(asked, '203.0.113.9')).not.toBe(429);
    await platform.services.pool.query(
      "UPDATE limits.windows SET calls = $1 WHERE subject ~ '^(?!wrong).*/address/203.0.113.9$'",
      [max - 1],
    );
    expect(await statusOf(asked, '203.0.113.9')).not.toBe(429);
    expect(await statusOf(asked, '203.0.113.9')).toBe(429);
  });

  test.each([
    ['checkout-read', 120],
    ['checkout-act', 20],
  ] as const)('429 for one request above the limit of a session, from any address: %s, %d', async (name, max) => {
    const { body, ...rest } = inDatabase[name] as Asked;
    const asked = { ...rest, path: rest.path.replace(id, name.padEnd(22, '0')), ...(body && { body }) };
    expect(await statusOf(asked, '203.0.113.10')).not.toBe(429);
    await platform.services.pool.query('UPDATE limits.windows SET calls = $1 WHERE subject LIKE $2', [
      max - 1,
      `${name}/session/%`,
    ]);
    expect(await statusOf(asked, '203.0.113.11')).not.toBe(429);
    expect(await statusOf(asked, '203.0.113.12')).toBe(429);
  });

  test.each(
    Object.entries(inProcess),
  )('429 beyond the limit for addresses of one /64 together: %s', async (_name, asked) => {
    const before = Array.from({ length: asked.max }, (_, n) => `2001:db8:0:1::${n.toString(16)}`);
    for (let at = 0; at < before.length; at += 20)
      for (const status of await Promise.all(before.slice(at, at + 20).map((from) => statusOf(asked, from))))
        expect(status).not.toBe(429);
    expect(await statusOf(asked, '2001:db8:0:1:ffff::1')).toBe(429);
    expect(await statusOf(asked, '2001:db8:0:2::1')).not.toBe(429);
  });

  test('every limit by address is asked here, or counts networks in a file that is named', () => {
    const root = join(import.meta.dirname, '../..');
    const sources = ['src', 'rest'].flatMap((dir) =>
      readdirSync(join(root, dir), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => ({ file: `${dir}/${file}`, text: readFileSync(join(root, dir, file), 'utf8') })),
    );
    const using = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
    const kinds = sources.flatMap(({ text }) =>
      [...text.matchAll(/countAddress\(services, ['`]([^'`]+)['`]/g)].map(([, kind = '']) => kind),
    );
    // A kind that ends with a variable stands for all of its name.
    const isAsked = (kind: string) =>
      Object.keys(inDatabase).some((asked) => asked.startsWith(kind.split('$')[0] ?? ''));
    expect(kinds.length).toBeGreaterThan(8);
    expect(kinds.filter((kind) => !isAsked(kind))).toEqual([]);
    expect(using(/\baddressLimit\(services/).map((file) => file.replace('rest/', ''))).toEqual(
      expect.arrayContaining([...Object.keys(inProcess), ...ofClerk]),
    );
    expect(using(/\baddressLimit\(services/)).toHaveLength(Object.keys(inProcess).length + ofClerk.length);
    expect(using(/\bnetworkOf\((?!address: string)/).sort()).toEqual(Object.keys(apart).sort());
    // No other counter has an address in its name.
    expect(using(/countAttempt\([^;]*\b(ip|address)\b/)).toEqual(['src/limits/windows.ts']);
  });

  test('an address has one network however it is written', () => {
    expect(networkOf('::ffff:c633:6401')).toBe('198.51.100.1');
    expect(networkOf('2001:db8:0:1::1')).toBe(networkOf('2001:0DB8:0000:0001:ffff:ffff:ffff:ffff'));
  });
});
