import { describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { makePartner, signedIn } from '../iam/people.ts';
import type { Answer } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));

const platform = await usePlatform({ clock });
await makePartner(platform, 'acme');
const admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: 'acme' });

/** An account of the plan `standard`, whose bucket of 150 tokens is full. */
async function standardAccount(): Promise<SeededAccount> {
  const account = await (await seedPartner(platform)).account();
  await platform.services.pool.query("UPDATE processing_accounts SET plan = 'standard' WHERE id = $1", [account.id]);
  return account;
}

async function ask({ subKey }: SeededAccount, query: string): Promise<Answer> {
  const response = await fetch(`${platform.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${subKey}` },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const leftIn = ({ headers }: Pick<Answer, 'headers'>): number =>
  Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1]);

const times = (count: number, field: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => field(index)).join(' ');

const tests = (count: number): string => `{ ${times(count, (i) => `a${i}: authTest { ok }`)} }`;

const customers = (count: number, tag: string): string =>
  `mutation { ${times(count, (i) => `a${i}: createCustomer(input: { email: "${tag}${i}@example.com" }) { id }`)} }`;

describe('what the root fields of one GraphQL operation cost', () => {
  test.each([
    ['one field', '{ authTest { ok } }', 1],
    ['three fields', '{ authTest { ok } customers { total } orders { total } }', 3],
    ['50 aliases of one field', tests(50), 50],
    [
      'fields through nested fragments',
      '{ ...A a: authTest { ok } } fragment A on Query { ...B b: authTest { ok } } fragment B on Query { c: authTest ' +
        '{ ok } }',
      3,
    ],
    ['a field that is selected twice and runs once', '{ authTest { ok } authTest { platformAccountId } }', 1],
    ['fields that are refused', '{ a: me { email } b: me { email } }', 2],
    ['10 mutation fields', customers(10, 'ten'), 10],
    ['11 mutation fields, which are 400', customers(11, 'eleven'), 1],
    ['a document that is 400', '{ nothing }', 1],
    [
      '50 fields that are 400 together, by breadth',
      `{ ${times(50, (i) => `a${i}: authTest { ${times(6, (j) => `b${j}: ok`)} }`)} }`,
      50,
    ],
  ])('%s: each costs a token, and the answer says what is left', async (_what, query, cost) => {
    const account = await standardAccount();
    expect(leftIn(await ask(account, query))).toBe(150 - cost);
    expect(leftIn(await account.api.call('/auth/test'))).toBe(150 - cost - 1);
  });

  test('429 costs one token and passes after Retry-After, unless the bucket holds enough for every field', async () => {
    const account = await standardAccount();
    for (const left of [100, 50, 0]) expect(leftIn(await ask(account, tests(50)))).toBe(left);
    clock.advance(12_000);
    const written = await ask(account, customers(10, 'later'));
    expect([written.body.errors, leftIn(written)]).toEqual([undefined, 10]);
    const tooMany = await ask(account, tests(50));
    expect([tooMany.body.errors[0].extensions, leftIn(tooMany), tooMany.headers.get('retry-after')]).toEqual([
      { code: 'TOO_MANY_REQUESTS', data: { retryAfter: 25 } },
      9,
      '25',
    ]);
    clock.advance(24_000);
    expect((await ask(account, tests(50))).body.errors[0].extensions.code).toBe('TOO_MANY_REQUESTS');
    clock.advance(2_000);
    const granted = await ask(account, tests(50));
    expect([granted.body.errors, leftIn(granted)]).toEqual([undefined, 1]);
  });

  test('429 for mutation fields runs none of them', async () => {
    const account = await standardAccount();
    for (const fields of [50, 50, 45]) await ask(account, tests(fields));
    const { body } = await ask(account, customers(10, 'none'));
    expect([body.data, body.errors[0].extensions.code]).toEqual([undefined, 'TOO_MANY_REQUESTS']);
    expect((await account.api.ok('/customers/list', {})).total).toBe(0);
  });

  test('operations at the same time take no more than the bucket holds', async () => {
    const account = await standardAccount();
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(account, tests(20))));
    const granted = answers.filter(({ body }) => body.errors === undefined).length;
    expect(granted).toBe(7);
    // The five that were refused cost one each.
    expect(leftIn(await account.api.call('/auth/test'))).toBe(150 - 7 * 20 - 5 - 1);
  });

  test('429 for the 301st invitation of a person in a minute, invited and resent together', async () => {
    const invite = (email: string) => admin.iam('/partners/acme/staff/invite', { email, roles: ['accountmanager'] });
    expect((await invite('new@example.com')).status).toBe(200);
    // No one is invited there: the limit of mails to an address is not met.
    const resend = (count: number): string =>
      'mutation { ' +
      `${times(count, (i) => `a${i}: resendStaffInvitation(partnerSlug: "acme", target: { email: "unknown@example.com" }) { status }`)} }`;
    for (const count of [...Array<number>(29).fill(10), 9])
      expect(
        new Set(
          (await admin.graphql(resend(count))).errors?.map(
            ({ extensions }: { extensions: { code: string } }) => extensions.code,
          ),
        ),
      ).toEqual(new Set(['NOT_FOUND']));
    const refused = await invite('another@example.com');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  });

  test('429 for the 601st probe of a person in a minute, both kinds together', async () => {
    const probe = (count: number): string =>
      '{ ' +
      `${times(count, (i) => `a${i}: assignRolePermission(input: { targetUserId: "user_x", requestedRoles: [accountmanager] }) { ok }`)} }`;
    for (let group = 0; group < 12; group++) expect((await admin.graphql(probe(50))).errors).toBeUndefined();
    const { errors } = await admin.graphql(
      '{ managePartnerStaffPermission(input: { partnerSlug: "acme", action: invite }) { ok } }',
    );
    expect(errors[0].extensions.code).toBe('TOO_MANY_REQUESTS');
  });

  test('400: people have the same bounds on an operation', async () => {
    const { errors } = await admin.graphql(`{ ${times(51, (i) => `a${i}: me { email }`)} }`);
    expect(errors[0].message).toContain('at most 50 root fields in one operation, not 51');
  });
});
