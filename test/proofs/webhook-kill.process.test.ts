// guards: src/unit-of-work src/database src/domains/webhooks src/jobs src/adapters/webhook-http
import { randomInt } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, onTestFailed, test } from 'vitest';
import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { startReceiver } from '../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { newSecrets, startServerProcess } from '../support/server-process.ts';

/** FAULTS_SEED replays the kill times of a failed run, FAULTS_KILLS and FAULTS_EVENTS make it longer. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));
const kills = Number(process.env['FAULTS_KILLS'] ?? 2);
const many = Number(process.env['FAULTS_EVENTS'] ?? 150);

const clock = manualClock(new Date());
const env: Record<string, string> = {
  ...newSecrets(),
  WEBHOOK_ALLOW_PRIVATE: 'true',
};
/** Observes, and completes on its own clock what the killed servers left open. */
let observer: TestPlatform;
let account: SeededAccount;

beforeAll(async () => {
  env['DATABASE_URL'] = await freshDatabase();
  observer = await startTestPlatform({ databaseUrl: env['DATABASE_URL'], env, clock });
});
beforeEach(async () => {
  clock.set(new Date());
  account = await (await seedPartner(observer)).account();
});
afterAll(() => observer?.close());

const openCount = () => observer.services.prisma.webhookDelivery.count({ where: { nextAttemptAt: { not: null } } });

/** Advances its clock from one due delivery to the next until none is open. */
async function finish(): Promise<void> {
  for (clock.set(new Date(Date.now() + 60_000)); (await openCount()) > 0; clock.advance(3_600_000))
    await deliverWebhooks(observer.services);
}

async function expectEachEventDelivered(arrived: ReadonlyMap<string, number>, type: string): Promise<void> {
  const events = await observer.services.prisma.event.findMany({
    where: { type, platformAccountId: account.id },
    select: { id: true },
  });
  expect(events.filter(({ id }) => !arrived.has(id))).toEqual([]);
  expect(arrived.size).toBe(events.length);
  const deliveries = await observer.services.prisma.webhookDelivery.groupBy({
    by: ['status'],
    where: { platformAccountId: account.id },
    _count: true,
  });
  expect(deliveries).toEqual([{ status: 'delivered', _count: events.length }]);
}

test('every event committed before a kill -9 is delivered, killed before or during its delivery', {
  timeout: 60_000 + kills * 15_000,
}, async () => {
  onTestFailed(() => console.error(`Replay with FAULTS_SEED=${seed} FAULTS_KILLS=${kills}.`));
  const random = seededRandom(seed);
  const arrived = new Map<string, number>();
  let cut = 0;
  let killing = true;
  // Slow enough that a kill finds some in flight, and failing at times.
  const to = await startReceiver(({ event }, count, response) => {
    const status = count % 7 === 0 ? 500 : 200;
    response.on('close', () => void (killing && !response.writableFinished && cut++));
    setTimeout(
      () => {
        if (status === 200) arrived.set(event.id, (arrived.get(event.id) ?? 0) + 1);
        response.writeHead(status).end();
      },
      killing ? random() * 60 : 0,
    );
  });
  try {
    await account.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/created'] });
    for (let kill = 0; kill < kills; kill++) {
      const server = await startServerProcess(env);
      const api = clientOf(server, account.subKey);
      let alive = true;
      const committed = Promise.withResolvers<void>();
      let answers = 1 + Math.floor(random() * 20);
      const load = Array.from({ length: 4 }, async (_none, lane) => {
        for (let index = 0; alive; index++) {
          const answer = await api
            .call('/customers/create', { email: `${kill}-${lane}-${index}@example.com` })
            .catch(() => null); // the connection dies with the server
          if (answer?.status === 200 && --answers === 0) committed.resolve();
        }
      });
      // Alternating: as soon as some events are committed, and while some are being delivered.
      await (kill % 2 === 0 ? committed.promise : to.arrived(to.received.length + 1 + Math.floor(random() * 20)));
      await server.kill();
      alive = false;
      await Promise.all(load);
    }
    killing = false;
    const left = await openCount();
    await finish();
    await expectEachEventDelivered(arrived, 'customer/created');
    const repeated = [...arrived.values()].filter((times) => times > 1).length;
    console.info(
      `${kills} kills survived, ${arrived.size} events, ${left} undelivered at the last kill, ${cut} requests ` +
        `cut off, ${repeated} events arrived more than once, seed ${seed}`,
    );
  } finally {
    await to.close();
  }
});

test('two servers on one database deliver each event once, and one continues when the other is killed', {
  timeout: 60_000,
}, async () => {
  const arrived = new Map<string, number>();
  const lagsMs: number[] = [];
  const to = await startReceiver(({ event }) => {
    arrived.set(event.id, (arrived.get(event.id) ?? 0) + 1);
    lagsMs.push(Date.now() - Date.parse(String(event['createdAt'])));
    return 200;
  });
  const servers = await Promise.all([startServerProcess(env), startServerProcess(env)]);
  try {
    const { secret } = await account.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/created'] });
    const apis = servers.map((server) => clientOf(server, account.subKey));
    for (let index = 0; index < 40; index++)
      await apis[index % 2]?.ok('/customers/create', { email: `two-${index}@example.com` });
    await to.arrived(40);
    await expect.poll(openCount).toBe(0);
    // Sent by servers on real time, so that the timestamp check of the public library also passes.
    for (const { text, headers } of to.received)
      expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({
        type: 'customer/created',
      });

    await servers[0]?.kill();
    for (let index = 0; index < 10; index++)
      await apis[1]?.ok('/customers/create', { email: `one-${index}@example.com` });
    await to.arrived(50);
    await expect.poll(openCount).toBe(0);
    expect([...arrived.values()].filter((times) => times > 1)).toEqual([]);
    await expectEachEventDelivered(arrived, 'customer/created');
    console.info(
      `50 events by two servers, the first attempt ${Math.min(...lagsMs)} to ${Math.max(...lagsMs)} ms after the event`,
    );
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await to.close();
  }
});

test('all events arrive once at a receiver that fails every third call', {
  timeout: 60_000 + many * 20,
}, async () => {
  const arrived = new Map<string, number>();
  const to = await startReceiver(({ event }, count) => {
    if (count % 3 === 0) return 503;
    arrived.set(event.id, (arrived.get(event.id) ?? 0) + 1);
    return 200;
  });
  try {
    await account.api.ok('/webhooks', { url: to.url, eventTypes: ['customer/updated'] });
    // Inserted directly: this test starts with the event row.
    await observer.services.pool.query(
      `INSERT INTO events (
          id, type, mode, "partnerId", "platformAccountId", "storeId", "objectId", sequence,
          "requestId", data, "createdAt"
        )
        SELECT
          'evt_many' || lpad(n::text, 18, '0'), 'customer/updated', 'test', a."partnerId", a.id,
          NULL, 'cus_many', n, 'req_many', '{"object": {"id": "cus_many"}}', $3
        FROM generate_series(1, $1::int) n, processing_accounts a
        WHERE a.id = $2`,
      [many, account.id, clock.now()],
    );
    const began = performance.now();
    await finish();
    const seconds = (performance.now() - began) / 1000;
    await expectEachEventDelivered(arrived, 'customer/updated');
    expect([...arrived.values()].filter((times) => times > 1)).toEqual([]);
    console.info(
      `${many} events in ${to.received.length} attempts, ${Math.round(to.received.length / seconds)} a second`,
    );
  } finally {
    await to.close();
  }
});
