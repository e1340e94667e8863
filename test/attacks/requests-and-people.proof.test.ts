import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { signedIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { httpHead, rawConnection } from '../support/raw-connection.ts';
import { seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const partnerKey = partner.partnerKey;
const account = await partner.account();

/** The status of the first answer to exactly this text. */
async function statusOf(text: string): Promise<string> {
  const { socket, received, closed } = await rawConnection(platform);
  socket.write(text);
  await closed;
  return received().slice(9, 12);
}

describe('requests that programs read differently', () => {
  test.each([
    ['two different hosts', 'Host: localhost\r\nHost: other.example\r\n', '400'],
    ['one host twice', 'Host: localhost\r\nhost: localhost\r\n', '400'],
    ['one host', 'Host: localhost\r\n', '200'],
  ])('%s: %s', async (_what, hosts, status) => {
    const path = '/health/live';
    expect(await statusOf(`GET ${path} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)).toBe(status);
  });

  test.each([
    [99_999_999_999, '413'],
    [5 * 1024 * 1024 + 1, '413'],
    [5 * 1024 * 1024, '100'],
  ])('Expect: 100-continue for a body of %i bytes: %s', async (length, status) => {
    const { socket, received } = await rawConnection(platform);
    socket.write(httpHead('POST', '/graphql', { 'Content-Length': length, Expect: '100-continue' }));
    await expect.poll(() => received().slice(9, 12)).toBe(status);
    socket.destroy();
  });

  test.each([
    'http://example.com/\r\nX: y',
    'http://example.com/a b',
    'https://evil.example/\\x',
    'https:\\\\evil.example/x',
    'https://example.com/\u0001',
  ])('400 for the URL %j', async (url) => {
    const { status, body } = await account.api.call('/webhooks', { url, eventTypes: ['payment/succeeded'] });
    expect([status, body.data?.issues?.[0].path]).toEqual([400, 'url']);
  });
});

describe('what answers and people may cost', () => {
  test('400 for more items with JSON than a page and more hold, saying how to ask for less', async () => {
    const lists = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, i) => `a${i}: customers(pageSize: 100) { items { id metadata } }`).join(' ')} }`;
    expect((await account.api.graphql(lists(2))).errors).toBeUndefined();
    const { errors } = await account.api.graphql(lists(3));
    expect([errors[0].extensions.code, errors[0].message]).toEqual([
      'INPUT_PARSE_ERROR',
      expect.stringMatching(/exceeds the query limits \(complexity\).*request fewer items/),
    ]);
  });

  test('429 for the 121st account of a partner in a minute, and 200 after it', async () => {
    const create = (count: number, tag: string) =>
      clientOf(platform, partnerKey).graphql(
        `mutation { ${Array.from({ length: count }, (_, i) => `a${i}: createAccount(input: { legalName: "${tag}${i}" }) { id }`).join(' ')} }`,
      );
    clock.advance(60_000);
    for (let group = 0; group < 12; group += 1) expect((await create(10, `g${group}n`)).errors).toBeUndefined();
    expect((await create(1, 'more')).errors[0].extensions.code).toBe('TOO_MANY_REQUESTS');
    clock.advance(60_000);
    expect((await create(1, 'more')).errors).toBeUndefined();
  });

  test('429 for the 1,001st call of a person in a minute, over both surfaces; another person is not affected', async () => {
    const [person, other] = [
      await signedIn(platform, { platformRoles: ['superadmin'] }),
      await signedIn(platform, { platformRoles: ['superadmin'] }),
    ];
    clock.advance(60_000);
    const ask = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, i) => `a${i}: me { email }`).join(' ')} }`;
    for (let group = 0; group < 19; group += 1) expect((await person.graphql(ask(50))).errors).toBeUndefined();
    expect((await person.graphql(ask(49))).errors).toBeUndefined();
    expect((await person.iam('/users/list', {})).status).toBe(200);
    const refused = await person.iam('/users/list', {});
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await person.graphql(ask(1))).errors[0].extensions.code).toBe('TOO_MANY_REQUESTS');
    expect((await other.iam('/users/list', {})).status).toBe(200);
    clock.advance(60_000);
    expect((await person.iam('/users/list', {})).status).toBe(200);
  });
});
