import { manualClock } from '../../../src/kit/clock.ts';
import type { CardProcessor } from '../../../src/ports/card-processor.ts';
import type { Answer } from '../../support/client.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';
import { watchPayments } from './invariants.ts';
import { type Fate, unreliableLine } from './line.ts';

/** One call under one Idempotency-Key, and the 200 it was answered. */
export interface AnsweredCall {
  account: SeededAccount;
  path: string;
  body: Record<string, unknown>;
  key: string;
  answer: unknown;
  at: Date;
}

/** An account as the simulation drives it. */
export interface Merchant extends SeededAccount {
  mode: 'test' | 'live';
  partnerKey: string;
  instruments: string[];
  /** The last payments, oldest first, with what was asked for. */
  payments: { id: string; amount: number; challenge?: string | undefined }[];
}

const cards = ['tok_visa', 'tok_visa', 'tok_mastercard', 'tok_visa_declined', 'tok_visa_insufficient', 'tok_visa_3ds', '4000008400001629', '4000000000000119', '4000000000006975'];
const cardLifeDays = 300;
const dayMs = 86_400_000;

/** A platform on a clock of its own, behind a bad line to its processor, with merchants of two partners and both modes. */
export async function makeWorld(random: () => number) {
  const clock = manualClock(new Date('2026-01-31T12:00:00.000Z'));
  const platform: TestPlatform = await startTestPlatform({ clock, env: { PROCESSOR_TIMEOUT_MS: '500' } });
  const [one, other] = [await seedPartner(platform), await seedPartner(platform)];
  const live = await seedPartner(platform, 'live', one.id);
  const merchants: Merchant[] = [];
  for (const partner of [one, one, other, live]) merchants.push({ ...(await partner.account()), mode: partner.mode, partnerKey: partner.partnerKey, instruments: [], payments: [] });
  let lineIsGood = true;
  const line = unreliableLine(platform.env.processors as Map<string, CardProcessor>, 'test', () => (lineIsGood ? 'answered' : fate(random()))); // a Map in truth; only the server is not to change it
  let cardsFrom = -Infinity;

  return {
    clock,
    platform,
    merchants,
    line,
    watch: watchPayments(platform.env.pool, [one.id, other.id]),
    answered: [] as AnsweredCall[],
    paymentIds: new Set<string>(),
    setLine(good: boolean): void {
      lineIsGood = good;
    },
    /** Fills the buckets: what the limits do has tests of its own. */
    refillBuckets: () => platform.env.pool.query('DELETE FROM limits.buckets'),
    /** New cards for everybody, before the old ones expire. */
    async renewCards(): Promise<void> {
      if (clock.now().getTime() - cardsFrom < cardLifeDays * dayMs) return;
      cardsFrom = clock.now().getTime();
      for (const merchant of merchants) {
        merchant.instruments = [];
        for (const card of merchant.mode === 'test' ? cards : ['4111111111111111']) merchant.instruments.push((await merchant.instrument(card)).id);
      }
    },
  };
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

const fates: readonly (readonly [Fate, number])[] = [['twice', 0.04], ['answerLost', 0.04], ['neverArrives', 0.03], ['arrivesLater', 0.03]];

function fate(number: number): Fate {
  let up = 0;
  return fates.find(([, share]) => number < (up += share))?.[0] ?? 'answered';
}

/** Calls, and fails on anything that is neither done nor a plain refusal. */
export async function ask(merchant: SeededAccount, path: string, body: Record<string, unknown>, key?: string): Promise<Answer> {
  const answer = await merchant.api.call(path, body, key === undefined ? {} : { headers: { 'Idempotency-Key': key } });
  if (![200, 400, 409].includes(answer.status)) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)} to ${JSON.stringify(body)}`);
  return answer;
}
