import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import { type SignedIn, signedIn } from '../iam/people.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const rowsMax = 100_000;
const clock = manualClock(new Date('2026-07-01T09:00:00Z'));

const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account('=HYPERLINK("https://evil.example","Shop")');
const elsewhere = await seedPartner(platform);
const other = await elsewhere.account();
const hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
const own = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug });
const theirs = await signedIn(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: elsewhere.slug });
// Exports are limited by the minute.
beforeEach(() => void clock.advance(60_000));

/** Begins an export. Returns the address of its file with its counts, or the code of the error. */
async function begin(person: SignedIn, list: string, args = 'mode: test'): Promise<any> {
  const [, filters = '{}'] = /filters: (.*)$/.exec(args) ?? [];
  const others = args.replace(/,? ?filters: .*$/, '');
  const { data, errors } = await person.graphql(
    `mutation {
      createExport(list: { ${list}: ${list === 'kybQueue' ? true : filters} }, ${others}) { id url rows rowsMax expiresAt }
    }`,
  );
  return errors ? errors[0].extensions : data.createExport;
}

const download = (person: Pick<SignedIn, 'cookie'>, url: string) => fetch(url, { headers: { Cookie: person.cookie } });

/** The rows of an export by their columns. No cell of these tests contains a line break. */
async function rowsOf(person: SignedIn, field: string, args?: string): Promise<Record<string, string>[]> {
  const { url, rows } = await begin(person, field, args);
  const response = await download(person, url);
  expect(response.status).toBe(200);
  const [head = '', ...lines] = (await response.text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(rows);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^",]*)/g)].map(([, cell = '']) => cell);
    expect(cells, line).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

const auditOf = (target: string) =>
  platform.services.prisma.auditRow.findMany({ where: { target }, orderBy: { sequence: 'asc' } });

test('an Idempotency-Key of an export is ignored: two exports, each with its row in the audit log', async () => {
  const exported = () =>
    platform.services.prisma.auditRow.count({ where: { action: 'createExport', actorId: hub.id } });
  const before = await exported();
  const ids: string[] = [];
  for (let n = 0; n < 2; n++) {
    const { data } = await hub.graphql(
      'mutation { createExport(list: { payments: {} }, mode: test) { id } }',
      {},
      { 'Idempotency-Key': 'export' },
    );
    ids.push(data.createExport.id);
  }
  expect([new Set(ids).size, (await exported()) - before]).toEqual([2, 2]);
});

describe('the file', () => {
  test('200 with amounts in minor units, times in UTC, a byte order mark, and no formula', async () => {
    const { payment } = await account.charge();
    await other.charge();
    const { url, rows, rowsMax: bound } = await begin(hub, 'payments', `mode: test, partnerSlug: "${partner.slug}"`);
    expect([rows, bound]).toEqual([1, rowsMax]);
    const response = await download(hub, url);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="payments-test-2026-07-01.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(Array.from(bytes.subarray(0, 3))).toEqual([0xef, 0xbb, 0xbf]);
    const text = new TextDecoder().decode(bytes);
    expect(text).toMatch(
      /^id,createdAt,status,subStatus,amount,currency,.*\r\npay_\w+,2026-07-01T[\d:.]+Z,succeeded,captured,2500,USD,/,
    );
    expect(text).toContain(`,"'=HYPERLINK(""https://evil.example"",""Shop"")",${partner.slug},25.00,25.00,0.00\r\n`);
    expect(text).toContain(String(payment['id']));
  });

  test.each([
    ['payments', 'filters: {failureCode: [insufficient_funds]}'],
    ['disputes', 'filters: {reason: [duplicate]}'],
    ['customers', 'filters: {email: {condition: starts_with, value: "payer"}}'],
    ['orders', 'filters: {currency: ["USD"]}'],
    ['subscriptions', 'filters: {status: [active]}'],
    ['accounts', 'filters: {status: [active]}'],
    ['events', 'filters: {type: ["payment/succeeded"]}'],
    ['webhookDeliveries', 'filters: {status: [pending]}'],
  ])('that of %s has its rows with the same filters, in its order', async (list, filters) => {
    const { payment } = await account.charge();
    await account.charge('tok_visa_insufficient');
    await account.api.ok('/test-disputes/create', { paymentId: payment['id'], reason: 'duplicate' });
    await account.api.ok('/orders/create', {
      currency: 'USD',
      items: [{ name: 'Tea', quantity: 1, unitAmount: 500 }],
    });
    const { data } = await hub.graphql(
      `{ ${list}(mode: test, ${filters}, pageSize: 100) { total items { id createdAt } } }`,
    );
    const listed = data[list].items.map(({ id, createdAt }: Record<string, string>) => ({ id, createdAt }));
    const rows = await rowsOf(hub, list, `mode: test, ${filters}`);
    expect(rows.map(({ id, createdAt }) => ({ id, createdAt }))).toEqual(listed);
  });

  test('those of auditLog and kybQueue have their rows; 400 for a partner of the audit log, for false, and without a mode', async () => {
    await begin(hub, 'payments');
    for (const [id, reason] of [
      [other.id, 'asked'],
      ['tpa_none', 'again'],
    ])
      await hub.graphql(`mutation { suspendAccount(platformAccountId: "${id}", reason: "${reason}") { id } }`);
    await hub.graphql(`mutation { activateAccount(platformAccountId: "${other.id}") { id } }`);
    clock.advance(1);
    const until = clock.now().toISOString();
    // An export has a row of its own, which these filters leave out.
    const filters = `filters: {action: ["createExport", "suspendAccount"], at: {condition: is_before_date, value: ["${until}"]}}`;
    const { data } = await hub.graphql(
      `{ auditLog(${filters}, pageSize: 100) { items { id sequence at reason refusal } } }`,
    );
    const rows = await rowsOf(hub, 'auditLog', filters);
    expect(
      rows.map(({ id, sequence, at, reason, refusal }) => ({
        id,
        sequence: Number(sequence),
        at,
        reason: reason || null,
        refusal: refusal || null,
      })),
    ).toEqual(data.auditLog.items);
    const given = rows.filter(({ action }) => action === 'suspendAccount');
    expect(given.map(({ outcome, reason, refusal }) => [outcome, reason, refusal])).toEqual([
      ['failed', 'again', 'not_found'],
      ['allowed', 'asked', ''],
    ]);
    expect(await rowsOf(hub, 'kybQueue', 'mode: live')).toEqual([]);
    for (const [requested, path] of [
      ['list: { auditLog: {} }, partnerSlug: "unknown"', 'partnerSlug'],
      ['list: { kybQueue: false }, mode: test', 'list.kybQueue'],
      ['list: { payments: {} }', 'mode'],
      ['list: { events: { storeId: ["store_0"] } }, mode: test', 'filters.storeId'],
    ]) {
      const { errors } = await hub.graphql(`mutation { createExport(${requested}) { url } }`);
      expect(errors[0].extensions.data.issues[0].path).toBe(path);
    }
  });

  test('that of the KYB queue has the longest waiting first, whichever account is older', async () => {
    const live = await seedPartner(platform, 'live', partner.id);
    const [older, newer] = [await live.account(), await live.account()];
    for (const [{ id }, minutes] of [
      [older, 1],
      [newer, 2],
    ] as const)
      await platform.services.prisma.processingAccount.update({
        where: { id },
        data: { kybStatus: 'submitted', kybSubmittedAt: new Date(clock.now().getTime() - minutes * 60_000) },
      });
    expect((await rowsOf(hub, 'kybQueue', 'mode: live')).map(({ id }) => id)).toEqual([newer.id, older.id]);
  });

  test('each amount has its decimal text at the end, by the minor unit of its currency', async () => {
    for (const currency of ['JPY', 'KWD'])
      await account.api.ok('/orders/create', { currency, items: [{ name: 'Tea', quantity: 1, unitAmount: 5 }] });
    const rows = await rowsOf(hub, 'orders', 'mode: test, filters: {currency: ["JPY", "KWD"]}');
    expect(Object.keys(rows[0] ?? {}).at(-1)).toBe('amountDecimal');
    expect(rows.map(({ amount, currency, amountDecimal }) => [amount, currency, amountDecimal]).sort()).toEqual([
      ['5', 'JPY', '5'],
      ['5', 'KWD', '0.005'],
    ]);
  });

  test('the names of the columns are those of the values: none is empty in every list', async () => {
    const [payment] = await rowsOf(hub, 'payments', 'mode: test, filters: {status: [succeeded]}');
    expect(payment).toMatchObject({
      customerEmail: expect.stringMatching(/^payer/),
      cardBrand: 'visa',
      cardLast4: '4242',
      platformAccountId: expect.stringMatching(/^tpa_/),
    });
    const [customer] = await rowsOf(hub, 'customers');
    expect(customer?.['storeName']).not.toBe('');
  });
});

describe('who may', () => {
  test('people of a partner get the rows of their partner, 403 for the slug of another, and for the audit log', async () => {
    const ids = (await rowsOf(own, 'payments')).map(({ platformAccountId }) => platformAccountId);
    expect(new Set(ids)).toEqual(new Set([account.id]));
    expect(new Set((await rowsOf(theirs, 'payments')).map((row) => row['platformAccountId']))).toEqual(
      new Set([other.id]),
    );
    expect(await begin(theirs, 'payments', `mode: test, partnerSlug: "${partner.slug}"`)).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await begin(own, 'auditLog', 'mode: test')).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('404 for the address of another user and for one that was changed, 401 without a session and for a key', async () => {
    const { url } = await begin(hub, 'payments');
    const other_ = await signedIn(platform, { platformRoles: ['hubadmin'] });
    expect((await download(other_, url)).status).toBe(404);
    expect((await download(hub, `${url.slice(0, -4)}AAAA`)).status).toBe(404);
    expect((await download(hub, `${platform.url}/exports/none`)).status).toBe(404);
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { Authorization: `Bearer ${partner.partnerKey}` } })).status).toBe(401);
  });

  test('403 at the address for a person who has lost the role meanwhile, and 410 after five minutes', async () => {
    const person = await signedIn(platform, { platformRoles: ['hubadmin'] });
    const { url } = await begin(person, 'payments');
    const { url: later } = await begin(hub, 'payments');
    await platform.idp.setAccess(person.id, { platformRoles: [], whitelabelOwnership: null });
    await platform.idp.flush();
    expect((await download(person, url)).status).toBe(403);
    clock.advance(299_000);
    expect((await download(hub, later)).status).toBe(200);
    clock.advance(1_000);
    expect((await download(hub, later)).status).toBe(410);
  });

  test('429 for the eleventh export of a minute, whatever the lists', async () => {
    for (let count = 0; count < 5; count++) {
      expect(await begin(own, 'payments')).toHaveProperty('url');
      expect(await begin(own, 'orders')).toHaveProperty('url');
    }
    expect(await begin(own, 'customers')).toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  });
});

describe('the audit log', () => {
  test('names who exported what, and how many rows were sent', async () => {
    const filters = { currency: ['USD'] };
    const { id, url, rows } = await begin(own, 'payments', 'mode: test, filters: {currency: ["USD"]}');
    await (await download(own, url)).text();
    await expect
      .poll(async () => (await auditOf(id)).map(({ action }) => action))
      .toEqual(['createExport', 'downloadExport']);
    const [begun, sent] = await auditOf(id);
    expect(begun).toMatchObject({ actorId: own.id, mode: 'test', after: { list: 'payments', filters, rows } });
    expect(sent).toMatchObject({ actorId: own.id, mode: 'test', after: { list: 'payments', rows, isComplete: true } });
  });
});

describe('the bound', () => {
  const ofType = 'mode: test, filters: {type: ["order/canceled"]}';

  beforeAll(() => makeEvents(1, rowsMax));

  /** Events `from` to `to`, of which many have the same time. The triggers would count them one by one. */
  async function makeEvents(from: number, to: number): Promise<void> {
    await asOwner(
      platform,
      `BEGIN;
       ALTER TABLE events DISABLE TRIGGER USER;
       INSERT INTO events (id, type, mode, "partnerId", "platformAccountId", "objectId", sequence, "requestId", data,
         "createdAt")
       SELECT 'evt_bulk' || n, 'order/canceled', 'test', '${partner.id}', '${account.id}', 'obj_' || n, 1, 'req_bulk',
         '{}', timestamptz '2026-06-01' + n / 700 * interval '1 second'
       FROM generate_series(${from}, ${to}) n;
       ALTER TABLE events ENABLE TRIGGER USER;
       COMMIT`,
    );
  }

  test('200 with every row once at 100,000; 400 naming the filters at one more, which changes nothing', async () => {
    const { url } = await begin(hub, 'events', ofType);
    const ids = (await (await download(hub, url)).text()).match(/^evt_bulk\d+/gm);
    expect([ids?.length, new Set(ids).size]).toEqual([rowsMax, rowsMax]);
    await makeEvents(rowsMax + 1, rowsMax + 1);
    const before = await platform.services.prisma.auditRow.count();
    const refused = await begin(hub, 'events', ofType);
    expect(refused).toMatchObject({ code: 'INPUT_PARSE_ERROR', data: { issues: [{ path: 'filters' }] } });
    expect(await platform.services.prisma.auditRow.count()).toBe(before);
    // It has grown since it began: the file is broken off, and not cut as if it were whole.
    await expect(download(hub, url).then((response) => response.text())).rejects.toThrow();
  });

  const earlier = 'createdAt: {condition: is_before_date, value: ["2026-06-01T00:02:00Z"]}';
  const tooLongForBuffers = `mode: test, filters: {type: ["order/canceled"], ${earlier}}`;

  /** fetch ends a download whose response is garbage. */
  const responses: Response[] = [];

  /** Downloads that are begun and not read. Returns their statuses, and the function that ends them. */
  async function readSlowly(people: SignedIn[]): Promise<{ statuses: number[]; leave(): void }> {
    const leaving = new AbortController();
    const statuses: number[] = [];
    for (const person of people) {
      const { url } = await begin(person, 'events', tooLongForBuffers);
      const response = await fetch(url, { headers: { Cookie: person.cookie }, signal: leaving.signal });
      responses.push(response);
      statuses.push(response.status);
    }
    return { statuses, leave: () => leaving.abort() };
  }

  const statusOfHead = async (person: SignedIn, url: string) =>
    (await fetch(url, { method: 'HEAD', headers: { Cookie: person.cookie } })).status;

  test('429 with Retry-After for the third file of a person and the fourth of a partner at once; 200 for everybody else, and when one has ended', async () => {
    const ofPartner = { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug };
    const colleague = await signedIn(platform, ofPartner);
    const { url } = await begin(own, 'events', tooLongForBuffers);
    const slow = await readSlowly([own, own]);
    expect(slow.statuses).toEqual([200, 200]);
    const refused = await download(own, url);
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '5']);
    const beside = await readSlowly([colleague]);
    expect(beside.statuses).toEqual([200]);
    expect(await statusOfHead(colleague, (await begin(colleague, 'payments')).url)).toBe(429);
    for (const person of [theirs, hub])
      expect((await download(person, (await begin(person, 'payments')).url)).status).toBe(200);
    slow.leave();
    await expect.poll(() => statusOfHead(own, url), { timeout: 30_000 }).toBe(200);
    beside.leave();
  });

  test('429 for the fifth file of internal staff at once; 200 for people of a partner meanwhile', async () => {
    const [second, third] = await Promise.all([1, 2].map(() => signedIn(platform, { platformRoles: ['hubadmin'] })));
    if (!second || !third) throw new Error('Two people were signed in.');
    const slow = await readSlowly([hub, hub, second, second]);
    expect(slow.statuses).toEqual([200, 200, 200, 200]);
    const { url } = await begin(third, 'payments');
    expect((await download(third, url)).status).toBe(429);
    expect((await download(theirs, (await begin(theirs, 'payments')).url)).status).toBe(200);
    slow.leave();
    await expect.poll(() => statusOfHead(third, url), { timeout: 30_000 }).toBe(200);
  });

  test('a client that leaves stops the reading, which the audit log says', async () => {
    const { id, url } = await begin(hub, 'events', tooLongForBuffers);
    const leaving = new AbortController();
    const response = await fetch(url, { headers: { Cookie: hub.cookie }, signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await expect.poll(async () => (await auditOf(id)).length, { timeout: 30_000 }).toBe(2);
    const [begun, sent] = await auditOf(id);
    const { rows, isComplete } = sent?.after as { rows: number; isComplete: boolean };
    expect(isComplete).toBe(false);
    expect(rows).toBeLessThan((begun?.after as { rows: number }).rows);
  });

  test('a file that is not read to its end within ten minutes is broken off, and leaves its place', async () => {
    const { id, url } = await begin(own, 'events', tooLongForBuffers);
    const response = await download(own, url);
    expect(response.status).toBe(200);
    clock.advance(600_000);
    await expect.poll(async () => (await auditOf(id)).length, { timeout: 30_000 }).toBe(2);
    expect((await auditOf(id))[1]?.after).toMatchObject({ isComplete: false });
    await expect(response.text()).rejects.toThrow();
    const after = await readSlowly([own, own]);
    expect(after.statuses).toEqual([200, 200]);
    after.leave();
  });
});
