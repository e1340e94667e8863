// guards: src/unit-of-work src/database src/domains/plugins src/domains/funnels
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { followPayments } from '../../src/domains/funnels/sessions/follow-payments.ts';
import { addFunnel } from '../domains/funnels/example-funnel.ts';
import { plugin } from '../domains/plugins/sample.ts';
import { type Answer, type CallOptions, clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { freePort } from '../support/ports.ts';
import { disableRateLimits } from '../support/rates.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { newSecrets, startServerProcess } from '../support/server-process.ts';
import { isInUse, isRefused } from './charge-load.ts';

/** FAULTS_SEED replays the kill times of a failed run, FAULTS_PLUGIN_KILLS makes it longer. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['FAULTS_PLUGIN_KILLS'] ?? 1);
const killWithinMs = 900;
const paceMs = 15;

const env: Record<string, string> = {
  ...newSecrets(),
  PROCESSOR_TIMEOUT_MS: '500',
};
/** Observes, and prepares the objects of the calls. */
let observer: TestPlatform;
let account: SeededAccount;
beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env });
  await disableRateLimits(observer);
  account = await (await seedPartner(observer)).account();
  // One address for all servers, one after the other: answers name it.
  env['PORT'] = String(await freePort());
});
afterAll(() => observer?.close());

/** One call under one Idempotency-Key, and every 200 it received. */
interface Call {
  kind: 'deploy' | 'config' | 'session' | 'move' | 'refund';
  path: string;
  body: Record<string, unknown>;
  options: CallOptions;
  answers: Answer[];
}

test('a server killed at any instant has deployed, configured and moved once a key', {
  timeout: 120_000 + kills * 30_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_PLUGIN_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const { prisma, pool } = observer.services;
  const deployed = await account.api.ok(
    '/plugins/v2/deploy',
    plugin({ autoInstantiate: true, manifest: { pluginId: 'live' } }),
  );
  const funnel = await addFunnel(account);
  const calls: Call[] = [];
  const strange: unknown[] = [];
  const add = (kind: Call['kind'], path: string, body: Record<string, unknown>): Call => {
    const call: Call = {
      kind,
      path,
      body,
      options: { headers: { 'Idempotency-Key': `${kind}-${calls.length}` } },
      answers: [],
    };
    calls.push(call);
    return call;
  };
  const send = async (url: string, call: Call): Promise<Answer | null> => {
    const answer = await clientOf({ url }, account.subKey)
      .call(call.path, call.body, call.options)
      .catch(() => null); // connection lost: the repeat shows the result
    if (answer?.status === 200) call.answers.push(answer);
    // The call is repeated.
    else if (answer && !isRefused(answer) && !isInUse(answer)) strange.push([call.kind, answer.status, answer.body]);
    return answer;
  };
  /** Payments that a session has not been notified of. */
  const paid: string[] = [];
  // One after the other: this is preparation, and not a test of the pool.
  for (let n = 0; n < 6 * (kills + 1); n++) paid.push(String((await account.charge()).payment['id']));
  let deploys = 0;
  const begun = (call: Call): string => call.answers[0]?.body.id;

  /** One visit: the session enters, reaches the checkout, is notified of the payment and of a partial refund. */
  const visit = async (url: string): Promise<void> => {
    const session = add('session', '/funnel-sessions', { funnelId: funnel.id });
    if ((await send(url, session))?.status !== 200) return;
    const next = `/funnel-sessions/${begun(session)}/next`;
    if ((await send(url, add('move', next, { event: { id: 'click', type: 'clicked' } })))?.status !== 200) return;
    const paymentId = paid.pop();
    if (!paymentId) return;
    await Promise.all([
      send(
        url,
        add('move', next, {
          event: { id: 'paid', type: 'payment_succeeded', data: { paymentId } },
          fromStepId: 'checkout',
        }),
      ),
      send(url, add('refund', '/payments/refund', { paymentId, amount: 300 })),
    ]);
  };
  const work = [
    visit,
    (url: string) =>
      send(
        url,
        add(
          'deploy',
          '/plugins/v2/deploy',
          plugin({ manifest: { pluginId: 'many', version: `1.0.${(deploys += 1)}` } }),
        ),
      ),
    (url: string) =>
      send(
        url,
        add('config', '/plugins/v2/instance/config', {
          deploymentInstanceId: deployed.instance.id,
          storeId: account.storeId,
          config: { color: `#${calls.length.toString(16).padStart(6, '0')}` },
        }),
      ),
  ];
  const load = async (url: string, stopped: AbortSignal): Promise<void> => {
    const sent: Promise<unknown>[] = [];
    while (!stopped.aborted) {
      sent.push(work[Math.floor(random() * work.length)]?.(url) ?? Promise.resolve());
      await delay(paceMs); // the rate of the load, not a wait for a condition
    }
    await Promise.all(sent);
  };
  const repeat = async (url: string, which: (call: Call) => boolean): Promise<void> => {
    const open = calls.filter(which).values();
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (const call of open) await send(url, call);
      }),
    );
  };
  const unanswered = ({ answers }: Call): boolean => answers.length === 0;

  for (let kill = 0; kill < kills; kill++) {
    const server = await startServerProcess(env);
    const stopped = new AbortController();
    const running = [load(server.url, stopped.signal), repeat(server.url, unanswered)];
    await delay(random() * killWithinMs);
    await server.kill();
    stopped.abort();
    await Promise.all(running);
  }
  const server = await startServerProcess(env);
  try {
    for (let round = 0; round < 5 && calls.some(unanswered); round++) await repeat(server.url, unanswered);
    // Every call is repeated once more: the same answer, and no second effect.
    await repeat(server.url, () => true);
  } finally {
    await server.stop();
  }
  await followPayments(observer.services);

  expect(strange).toEqual([]);
  for (const { kind, answers } of calls)
    for (const answer of answers) expect(answer.body, kind).toEqual(answers[0]?.body);
  const of = (kind: Call['kind']): Call[] => calls.filter((call) => call.kind === kind);
  const ids = (kind: Call['kind'], name: string): unknown[] =>
    of(kind)
      .map(({ answers }) => answers[0]?.body[name])
      .sort();

  // Plugins: one deployment and one event per key, and one configuration per key in the history, numbered without gaps;
  // the last one is live.
  expect(
    (await prisma.pluginDeployment.findMany({ where: { pluginId: 'many' }, select: { id: true } }))
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids('deploy', 'deploymentId'));
  expect(await prisma.event.count({ where: { type: 'plugin/deployed' } })).toBe(of('deploy').length + 1);
  const history = await prisma.pluginConfiguration.findMany({
    where: { deploymentInstanceId: deployed.instance.id },
    orderBy: { version: 'asc' },
  });
  const { configVersion, config } = await prisma.pluginInstance.findUniqueOrThrow({
    where: { id: deployed.instance.id },
  });
  expect([configVersion, history.at(-1)?.config]).toEqual([of('config').length + 1, config]);
  expect(history.map(({ version }) => version)).toEqual(
    history.map((_row, index) => configVersion - history.length + 1 + index),
  );
  expect(await prisma.event.count({ where: { objectId: deployed.instance.id, type: 'plugin/configUpdated' } })).toBe(
    of('config').length,
  );

  // Funnels: one session per key, one move per event, events without gaps; the statistics match the rows.
  expect((await prisma.funnelSession.findMany({ select: { id: true } })).map(({ id }) => id).sort()).toEqual(
    ids('session', 'id'),
  );
  expect(await prisma.funnelEvent.count()).toBe(of('move').length);
  const { rows: wrong } = await pool.query(`SELECT
        s.id, s.moves, s.sequence, count(DISTINCT f."eventId") AS moved,
        count(DISTINCT e.sequence) AS "eventCount", max(e.sequence) AS last
      FROM funnel_sessions s
      LEFT JOIN funnel_events f ON f."sessionId" = s.id AND f."fromStepId" <> f."toStepId"
      LEFT JOIN events e ON e."objectId" = s.id
      GROUP BY s.id
      HAVING count(DISTINCT f."eventId") <> s.moves
        OR count(DISTINCT e.sequence) <> s.sequence
        OR max(e.sequence) <> s.sequence`);
  expect(wrong).toEqual([]);
  const figures = await account.api.ok(`/funnels/${funnel.id}/figures`);
  const {
    rows: [rows],
  } = await pool.query(`SELECT
      (SELECT count(*) FROM funnel_sessions) AS sessions,
      (SELECT count(*) FROM funnel_events WHERE "fromStepId" = 'landing' AND "toStepId" = 'checkout') AS clicked,
      (SELECT count(*) FROM funnel_events WHERE "fromStepId" = 'checkout' AND "toStepId" = 'upsell') AS paid,
      (SELECT sum(p.amount) FROM funnel_events e JOIN payments p ON p.id = e."paymentId") AS revenue,
      (SELECT sum(p."refundedAmount") FROM funnel_events e JOIN payments p ON p.id = e."paymentId") AS refunded`);
  expect(figures.sessions).toBe(rows.sessions);
  expect(
    figures.steps.map(({ views, conversions }: { views: number; conversions: number }) => [views, conversions]),
  ).toEqual([
    [rows.sessions, rows.clicked],
    [rows.clicked, rows.paid],
    [rows.paid, 0],
    [0, 0],
  ]);
  expect(figures.revenue).toEqual(
    rows.paid === 0 ? [] : [{ currency: 'USD', amount: Number(rows.revenue), refunded: Number(rows.refunded) }],
  );
  console.info(
    `${kills} kills survived, ${calls.length} calls, ` +
      `${calls.filter(({ answers }) => answers.length > 1).length} of them answered more than once, seed ${seed}`,
  );
});
