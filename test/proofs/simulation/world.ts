import { manualClock } from '../../../src/lib/clock.ts';
import type { CardProcessor, DisputeNotice } from '../../../src/ports/card-processor.ts';
import type { Answer } from '../../support/client.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';
import { priceOf } from '../../support/subscriptions.ts';
import { below, remember } from './dice.ts';
import { watch } from './invariants.ts';
import { type FaultKind, unreliableConnection } from './line.ts';
import type { Flow, Route } from './routes.ts';

/** One call under one Idempotency-Key, and its 200 answer. */
interface AnsweredCall {
  account: SeededAccount;
  path: string;
  body: Record<string, unknown>;
  key: string;
  answer: unknown;
  at: Date;
}

/** An account used by the simulation. */
export interface Merchant extends SeededAccount {
  mode: 'test' | 'live';
  partnerKey: string;
  instruments: { id: string; customerId: string }[];
  /** The latest payments, oldest first, with the requested amount. */
  payments: { id: string; amount: number; challenge?: string | undefined }[];
  /** In the order of creation, with the settings submitted to the platform. */
  processors: { id: string; enabled: boolean }[];
  flows: Flow[];
  disputes: string[];
  priceId: string;
  subscriptions: string[];
}

/** A past notice of a processor about a dispute. */
interface NotifiedDispute {
  processorId: string;
  notice: DisputeNotice;
}

const cards = [
  'tok_visa',
  'tok_visa',
  'tok_mastercard',
  'tok_visa_declined',
  'tok_visa_insufficient',
  'tok_visa_3ds',
  '4000008400001629',
  '4000000000009987',
  '4000000000000119',
  '4000000000006975',
  '4000000000000259',
  '4000000000005126',
  '4000000000000341',
  '4000000000000697',
  '4000002760003184',
];
const cardLifeDays = 300;
const dayMs = 86_400_000;
const processorTimeoutMs = 2_000;
const rememberedCalls = 400;

/**
 * A platform on a virtual clock, with an unreliable connection to its processor and merchants of two partners in both
 * modes.
 */
export async function makeWorld(random: () => number) {
  const clock = manualClock(new Date('2026-01-31T12:00:00.000Z'));
  const platform: TestPlatform = await startTestPlatform({
    clock,
    env: { PROCESSOR_TIMEOUT_MS: String(processorTimeoutMs) },
  });
  await disableRateLimits(platform);
  const [one, other] = [await seedPartner(platform), await seedPartner(platform)];
  const live = await seedPartner(platform, 'live', one.id);
  const merchants: Merchant[] = [];
  for (const partner of [one, one, other, live])
    merchants.push(await merchantOf(platform, partner, () => clock.advance(1)));
  let lineIsGood = true;
  const connection = unreliableConnection(platform.services.processors as Map<string, CardProcessor>, 'test', {
    // a Map at run time; only the server must not change it
    now: clock.now,
    fateOf: () => (lineIsGood ? 'answered' : fate(random())),
    isTooSlow(latencyMs) {
      clock.advance(Math.min(latencyMs, processorTimeoutMs));
      return latencyMs > processorTimeoutMs;
    },
  });
  let cardsFrom = -Infinity;
  const routes = new Map<string, Route>();

  return {
    clock,
    platform,
    merchants,
    connection,
    /** The allowed route of each requested charge. */
    routes,
    watch: watch(platform.services.pool, [one.id, other.id], { connection, routes, merchants }),
    answered: [] as AnsweredCall[],
    paymentIds: new Set<string>(),
    notifiedDisputes: [] as NotifiedDispute[],
    setLine(good: boolean): void {
      lineIsGood = good;
    },
    /** Replaces all cards before they expire. */
    async renewCards(): Promise<void> {
      if (clock.now().getTime() - cardsFrom < cardLifeDays * dayMs) return;
      cardsFrom = clock.now().getTime();
      for (const merchant of merchants) {
        merchant.instruments = [];
        for (const card of merchant.mode === 'test' ? cards : ['4111111111111111'])
          merchant.instruments.push(await merchant.instrument(card));
      }
    },
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

/**
 * A merchant; in test mode with three processors and a flow of each kind. Live mode has no test processor: its
 * approvals would not be real.
 */
async function merchantOf(
  platform: TestPlatform,
  { mode, partnerKey, ...partner }: SeededPartner,
  tick: () => void,
): Promise<Merchant> {
  const account = await partner.account();
  for (const name of mode === 'test' ? ['Second', 'Third'] : []) {
    tick();
    await account.api.ok('/processors/create', { name, type: 'test' });
  }
  const processors = await platform.services.prisma.processor.findMany({
    where: { platformAccountId: account.id },
    orderBy: { createdAt: 'asc' },
    select: { id: true, enabled: true },
  });
  const flows: Flow[] = [];
  for (const flow of mode === 'test' ? flowsOver(processors.map(({ id }) => id)) : [])
    flows.push({ id: (await account.api.ok('/payment-flows/create', { name: 'Flow', ...flow })).id, ...flow });
  return {
    ...account,
    mode,
    partnerKey,
    instruments: [],
    payments: [],
    processors,
    flows,
    disputes: [],
    priceId: await priceOf(account, { interval: 'week' }),
    subscriptions: [],
  };
}

function flowsOver([first = '', second = '', third = '']: readonly string[]): Omit<Flow, 'id'>[] {
  const processors = [
    { processorId: first, weight: 1 },
    { processorId: second, weight: 3 },
  ];
  return [
    {
      strategy: 'cascade',
      processors,
      fallbacks: [
        { processorId: second, order: 0 },
        { processorId: third, order: 1 },
        { processorId: first, order: 2 },
      ],
      maxRetries: 3,
      sticky: false,
    },
    { strategy: 'cascade', processors, fallbacks: [{ processorId: third, order: 0 }], maxRetries: 1, sticky: true },
    {
      strategy: 'simple',
      processors: [...processors, { processorId: third, weight: 2 }],
      fallbacks: [],
      maxRetries: 3,
      sticky: true,
    },
  ];
}

const fates: readonly (readonly [FaultKind, number])[] = [
  ['twice', 0.04],
  ['answerLost', 0.04],
  ['neverArrives', 0.03],
  ['arrivesLater', 0.03],
];

function fate(number: number): FaultKind {
  let up = 0;
  return fates.find(([, share]) => number < (up += share))?.[0] ?? 'answered';
}

/** Calls the API, and fails unless the call succeeds or is rejected with 400 or 409. */
export async function ask(
  merchant: SeededAccount,
  path: string,
  body: Record<string, unknown>,
  options: { key?: string | undefined; method?: 'PUT' } = {},
): Promise<Answer> {
  const { key, method } = options;
  const answer = await merchant.api.call(path, body, {
    ...(method && { method }),
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  });
  if (![200, 400, 409].includes(answer.status))
    throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)} to ${JSON.stringify(body)}`);
  return answer;
}

/** Calls the API, in most cases with an Idempotency-Key, which is stored with its answer. */
export async function write(
  world: World,
  merchant: Merchant,
  path: string,
  body: Record<string, unknown>,
  random: () => number,
): Promise<Answer> {
  const key = random() < 0.7 ? `key-${below(2 ** 50, random)}` : undefined;
  const answer = await ask(merchant, path, body, { key });
  if (key !== undefined && answer.status === 200)
    remember(
      world.answered,
      { account: merchant, path, body, key, answer: answer.body, at: world.clock.now() },
      rememberedCalls,
    );
  return answer;
}
