import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Endpoint } from '../../rest/engine/endpoint.ts';
import { verifyLedger } from '../../src/domains/ledger/verify-ledger.ts';
import { atClockTime } from '../../src/domains/test-clocks/public.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { clockDriven, jobsOf } from '../../src/registry.ts';
import type { Answer } from '../support/client.ts';
import { endpoints, smallestValue } from '../support/operations.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { allStatuses, postJson, type StatusWorld, setStatuses, statusWorld } from '../support/status-worlds.ts';
import { type FaultKind, withLostAnswers } from '../support/unreliable-processor.ts';

/*
 * What every endpoint, page, hook, job and clock does by the status of the partner and of the account. It is generated
 * from the registries and run against real rows, so that a new one has a row at once, and a new cell is reviewed.
 */

const clock = manualClock(new Date('2026-06-01T09:00:00Z'));
const dayMs = 86_400_000;

const worlds: StatusWorld[] = [];
let fate: FaultKind = 'answered';

const platform = await usePlatform({ clock, env: { DATABASE_POOL_SIZE: '12' } });
await disableRateLimits(platform);
withLostAnswers(platform, () => {
  const now = fate;
  fate = 'answered';
  return now;
});
worlds.push(...(await someAtATime(allStatuses, (statuses) => statusWorld(platform, statuses))));
for (const { merchant } of worlds) {
  fate = 'neverArrived';
  await merchant.charge();
}
for (const world of worlds) await setStatuses(platform, world);
afterAll(async () => {
  expect((await verifyLedger(platform.services)).differences).toEqual([]);
});

/** No call waits long for those of other accounts, so that a slow machine refuses none. */
async function someAtATime<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += 3)
    results.push(...(await Promise.all(items.slice(at, at + 3).map((item) => work(item)))));
  return results;
}

interface Balances {
  money: number;
  deferred: number;
  pending: number;
}

/** The money that an account has taken, of what is only held a tenth; what was deferred; what is still open. */
async function balancesOf({ merchant }: StatusWorld): Promise<Balances> {
  const { rows } = await platform.services.pool.query<Balances>(
    `SELECT
       coalesce(sum(10 * "capturedAmount" + CASE WHEN "subStatus" = 'authorized' THEN amount ELSE 0 END), 0)::int AS money,
       count(*) FILTER (WHERE status = 'pending')::int AS pending,
       (SELECT count(*)::int FROM deferred_charges WHERE "platformAccountId" = $1) AS deferred
     FROM payments WHERE "platformAccountId" = $1`,
    [merchant.id],
  );
  return rows[0] ?? { money: 0, deferred: 0, pending: 0 };
}

/** What a call or a job has done to the balances of an account. */
function cellOf(before: Balances, after: Balances, otherwise: string): string {
  if (after.money > before.money) return 'charged';
  if (after.deferred > before.deferred) return 'postponed';
  return after.pending < before.pending && otherwise === '-' ? 'ended' : otherwise;
}

function refusalOf({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  const reason = body?.data?.reason ?? body?.issues?.[0]?.reason;
  const short: Record<string, string> = {
    partner_not_active: 'partner',
    account_not_active: 'account',
    forbidden_scope: 'scope',
  };
  return status === 403 ? (short[reason] ?? String(reason)) : 'allowed';
}

/** Rows whose identifier has the name of another one elsewhere. */
const ownIds: Readonly<Record<string, (known: Readonly<Record<string, unknown>>) => object>> = {
  CapturePayment: ({ held }) => ({ paymentId: held }),
  ContinuePayment: ({ answered }) => ({ paymentId: answered }),
  UpdateSubscription: ({ yearly }) => ({ priceId: yearly }),
};

async function ask(world: StatusWorld, kind: 'subKey' | 'partnerKey', endpoint: Endpoint): Promise<Answer> {
  const known = { ...world.known[kind], ...ownIds[endpoint.name]?.(world.known[kind]) };
  const path = endpoint.path.replace(/:(\w+)/g, (_part, name: string) => String(known[name as never] ?? 'no_such_row'));
  const needed = endpoint.variables.filter(
    ({ name }) => endpoint.body.fields.has(name) || endpoint.body.wholeAs === name,
  );
  const values = Object.fromEntries(needed.map(({ name, type }) => [name, smallestValue(type, name, known)]));
  const body = endpoint.body.wholeAs === null ? values : (values[endpoint.body.wholeAs] as object);
  const takesBody = endpoint.method === 'POST' || endpoint.method === 'PUT';
  return world.keys[kind].call(path, takesBody ? body : undefined, { method: endpoint.method });
}

const first = ['ProcessPayment', 'CapturePayment', 'ContinuePayment', 'CreateSubscription', 'UpdateSubscription'];
const last = /^(Delete|Remove|Cancel|Revoke|Void|Refund|Pause)/;
/** What takes money is called before what removes its rows. */
const rank = ({ name }: Endpoint) => (last.test(name) ? 2 : first.includes(name) ? 0 : 1);

function worldOf(status: StatusWorld['partner']): StatusWorld {
  const world = worlds.find(({ partner }) => partner === status);
  if (!world) throw new Error(`There is no world of a partner that is ${status}.`);
  return world;
}

/** Two lines: the status of the partner, and that of the account. */
const header = (what: string): string[] => [
  line(
    what,
    allStatuses.map(({ partner }) => partner),
  ),
  line(
    '',
    allStatuses.map(({ account }) => account.split('_')[0] ?? ''),
  ),
];
const line = (name: string, cells: readonly string[]) =>
  [name.padEnd(58), ...cells.map((cell) => cell.padEnd(10))].join(' ').trimEnd();

async function endpointLines(): Promise<string[]> {
  const ordered = [...endpoints].sort((one, other) => rank(one) - rank(other));
  const cells = await someAtATime(worlds, async (world) => {
    const found = new Map<string, string>();
    let balances = await balancesOf(world);
    for (const endpoint of ordered)
      for (const kind of ['subKey', 'partnerKey'] as const) {
        const answer = await ask(world, kind, endpoint);
        // A refusal for load is no answer to the question.
        if (answer.status >= 500 || answer.status === 429)
          throw new Error(`${endpoint.name} answered ${answer.status}.`);
        const after = endpoint.isMutation && answer.status !== 403 ? await balancesOf(world) : balances;
        found.set(`${kind} ${endpoint.name}`, cellOf(balances, after, refusalOf(answer)));
        balances = after;
      }
    return found;
  });
  return endpoints.flatMap(({ name, method, path }) => {
    const [sub = [], partner = []] = (['subKey', 'partnerKey'] as const).map((kind) =>
      cells.map((found) => found.get(`${kind} ${name}`) ?? ''),
    );
    const label = `${method.padEnd(6)} ${path}`;
    if (sub.join() === partner.join()) return [line(label, sub)];
    const isClosed = sub.every((cell) => cell === 'scope');
    return [...(isClosed ? [] : [line(label, sub)]), line(`${label}${isClosed ? '' : ' (partner key)'}`, partner)];
  });
}

const noAccount = 'of no account';
const card = { cardNumber: '4242424242424242', expMonth: 12, expYear: 2039, cvc: '123' };
type Probe = (world: StatusWorld) => Promise<Response>;
/** Every route that is written by hand: how it is asked for an account, or why it asks for none. */
const routes: Readonly<Record<string, Probe | string>> = {
  'cardholder get root': ({ cardholderUrl }) => fetch(cardholderUrl),
  'cardholder get `${root}/challenge`': ({ cardholderUrl }) =>
    fetch(`${cardholderUrl}/challenge`, { redirect: 'manual' }),
  "cardholder act 'confirm'": ({ cardholderUrl }) => postJson(`${cardholderUrl}/confirm`, {}),
  "cardholder act 'pay'": ({ cardholderUrl }) =>
    postJson(`${cardholderUrl}/pay`, { cardNumber: card.cardNumber, expiry: '12 / 39', cvc: card.cvc }),
  'cardholder post `${root}/${path}`': 'the acts below',
  "cardholder get '/cardholder/return/:subscriptionId'": 'redirects to the page',
  'checkout get root': ({ checkoutUrl }) => fetch(checkoutUrl),
  'checkout get `${root}/page`': ({ checkoutUrl }) => fetch(`${checkoutUrl}/page`, { redirect: 'manual' }),
  "checkout act 'next'": ({ checkoutUrl }) => postJson(`${checkoutUrl}/next`, { stepId: 'landing' }),
  "checkout act 'accept'": ({ checkoutUrl }) =>
    postJson(`${checkoutUrl}/accept`, { stepId: 'upsell', attemptId: 'attempt-0' }),
  "checkout act 'decline'": ({ checkoutUrl }) => postJson(`${checkoutUrl}/decline`, { stepId: 'upsell' }),
  "checkout act 'continue'": ({ checkoutUrl }) => postJson(`${checkoutUrl}/continue`, {}),
  "checkout act 'pay'": ({ checkoutUrl }) =>
    postJson(`${checkoutUrl}/pay`, {
      stepId: 'checkout',
      attemptId: 'attempt-1',
      email: 'visitor@example.com',
      ...card,
    }),
  'checkout get `${root}/challenge`': ({ checkoutUrl }) => fetch(`${checkoutUrl}/challenge`, { redirect: 'manual' }),
  "checkout get '/checkout/funnels/:funnelId'": ({ funnelId }) =>
    fetch(`${platform.url}/checkout/funnels/${funnelId}`, { redirect: 'manual' }),
  "three-ds get '/test/3ds/:sessionId'": ({ challengeUrl }) => fetch(challengeUrl),
  "three-ds post '/test/3ds/:sessionId'": ({ challengeUrl }) => postJson(challengeUrl, { outcome: 'success' }),
  'plugin-pages use async': ({ merchant }) =>
    fetch(`${platform.url}/p/${merchant.storeId}/shop/`, { headers: { Accept: 'text/html' } }),
  'checkout post `${root}/${path}`': 'the acts below',
  "checkout get '/checkout/return/:sessionId'": 'as the page of the session',
  "three-ds get '/3ds/return/:transactionId'": 'of the processor; the payment is continued by its key',
  "hooks post '/hooks/processors/:type'": 'recorded whatever the status: money has moved already',
  "card-fields ask '/fields/session'": 'of a session that a key began; takes no money',
  "card-fields ask '/fields/submit'": 'of a session that a key began; takes no money',
  'connect get callbackPath': 'of an attempt, which a key began and its status allowed',
  'connect post callbackPath': 'of an attempt, which a key began and its status allowed',
};
const routesOfNoAccount =
  /^(account|assets|brand|card-fields|connect|console|docs|exports|health|home|hooks|hosted-sign-in|join|reference|sign-in) /;

/** The routes of the source, so that one without a row fails. */
function routesOfSource(): string[] {
  const dir = join(import.meta.dirname, '..', '..', 'rest');
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(pages\/.*|[a-z]+)\.ts$/.test(file))
    .sort()
    .flatMap((file) =>
      [
        ...readFileSync(join(dir, file), 'utf8').matchAll(
          /^ +(?:return )?(router\.(?:get|post|use)|act|ask|show|form)\(\s*('[^']+'|`[^`]+`|\[[^\]]+\]|\w+(?:\.\w+)?)/gm,
        ),
      ].map(([, what = '', path = '']) => `${basename(file, '.ts')} ${what.replace('router.', '')} ${path}`),
    );
}

async function routeLines(): Promise<string[]> {
  const lines: string[] = [];
  const inOrder = routesOfSource().sort(
    (one, other) => Number(one.includes("'pay'")) - Number(other.includes("'pay'")),
  );
  for (const route of inOrder) {
    const probe = routes[route] ?? (routesOfNoAccount.test(route) ? noAccount : undefined);
    if (probe === undefined)
      throw new Error(`${route} has no row: say what it does for an account that may not charge.`);
    const label = route.replace(/\s+/g, ' ');
    if (typeof probe === 'string') lines.push(`${label.padEnd(58)} ${probe}`);
    else lines.push(line(label, await someAtATime(worlds, (world) => probed(world, probe))));
  }
  return lines;
}

async function probed(world: StatusWorld, probe: Probe): Promise<string> {
  const before = await balancesOf(world);
  const response = await probe(world);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const reason = isJson ? refusalOf({ status: response.status, body: JSON.parse(text) }) : String(response.status);
  return cellOf(before, await balancesOf(world), reason);
}

/** What a run of each does to the balances of every account: `-` is nothing. */
async function runLines(
  runs: readonly { name: string; run: () => Promise<unknown> }[],
): Promise<Map<string, string[]>> {
  const lines = new Map<string, string[]>();
  for (const { name, run } of runs) {
    const before = await someAtATime(worlds, balancesOf);
    await run();
    const after = await someAtATime(worlds, balancesOf);
    lines.set(
      name,
      after.map((balances, n) => cellOf(before[n] ?? balances, balances, '-')),
    );
  }
  return lines;
}

async function jobLines(): Promise<string[]> {
  const runs = jobsOf(platform.services).map(({ name, run }) => ({
    name,
    run: () => run(new AbortController().signal),
  }));
  clock.advance(12 * 60_000);
  const soon = await runLines(runs);
  clock.advance(40 * dayMs);
  const later = await runLines(runs);
  return [...soon].map(([name, cells]) =>
    line(
      name,
      cells.map((cell, n) => (cell === '-' ? (later.get(name)?.[n] ?? '-') : cell)),
    ),
  );
}

async function clockLines(): Promise<string[]> {
  const { services } = platform;
  const at = new Date(clock.now().getTime() + 40 * dayMs);
  await services.pool.query('UPDATE test_clocks SET now = $1', [at]);
  const runs = clockDriven.map(({ name, runDue }) => ({
    name,
    run: () =>
      someAtATime(worlds, ({ testClockId }) =>
        atClockTime(services, testClockId, () => runDue(services, testClockId, at)),
      ),
  }));
  return [...(await runLines(runs))].map(([name, cells]) => line(name, cells));
}

test('what every endpoint, page, hook, job and clock does by both statuses is the tracked table', async () => {
  const lines = [
    'charged: money was taken or held. allowed: the status does not refuse it. partner, account: 403 for that status.',
    'postponed: deferred, and recorded for later. ended: an open payment was ended without taking money. -: nothing.',
    '',
    // Before the endpoints, some of which remove what the pages show.
    ...header('page or hook'),
    ...(await routeLines()),
    '',
    ...header('endpoint, with a key'),
    ...(await endpointLines()),
    '',
    ...header('job'),
    ...(await jobLines()),
    '',
    ...header('work of a test clock'),
    ...(await clockLines()),
  ];
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('status-matrix.txt');
  // Beside the table: with another status than active only a challenge that was answered before is completed.
  for (const text of lines.slice(3).filter((found) => !found.includes('/payments/continue')))
    expect(text.slice(70)).not.toContain('charged');

  // Of two statuses that refuse, that of the partner is named.
  const both: StatusWorld = { ...worldOf('suspended'), account: 'closed' };
  await setStatuses(platform, both);
  const { paymentInstrumentId, amount, currency } = both.known.subKey;
  const charge = { paymentInstrumentId, amount, currency };
  expect(refusalOf(await both.keys.subKey.call('/payments/process', charge))).toBe('partner');
}, 240_000);
