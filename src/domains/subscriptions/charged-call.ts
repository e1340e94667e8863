import { setTimeout as delay } from 'node:timers/promises';
import { waitsOf } from '../../database/waits.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { StoredAnswer } from '../../graph/first-answers.ts';
import type { Services } from '../../services.ts';
import { answerOperation, inUse } from '../../write/idempotency.ts';
import { writeInSteps } from '../../write/in-steps.ts';
import type { Write } from '../../write/write.ts';
import { chargeOpenPeriod, chargePeriod, followPayment } from './charge-period.ts';
import { type FailedCharge, paymentFailedError } from './failed-change.ts';
import type { SubscriptionRow } from './types.ts';

/**
 * A call that may charge changes the database before and after it calls a processor: the period is opened and committed
 * first, then it is charged. A repeat after a crash finds the open period and charges it if no process has. The answer
 * is stored once the charge has ended.
 */
export async function chargedCall(
  context: KeyContext,
  operation: string,
  open: (change: Write) => Promise<SubscriptionRow>,
  failureOf: (services: Services, opened: SubscriptionRow) => Promise<FailedCharge | null> = async () => null,
): Promise<SubscriptionRow> {
  const { services } = context;
  const charge = async (opened: SubscriptionRow): Promise<StoredCharge> => {
    const { id } = opened;
    const startedAt = performance.now();
    // Without a key nobody can repeat the call: the job charges what could not be charged now.
    if (context.idempotency) await chargeToItsEnd(context, id);
    else await chargeOpenPeriod(context, id);
    context.timings.set('processor', performance.now() - startedAt);
    const failed = await failureOf(services, opened);
    return failed
      ? { failed }
      : withPayment(services, await services.prisma.subscription.findUniqueOrThrow({ where: { id } }));
  };
  const answer = await writeInSteps(context, operation, open, charge, ({ id }) => id);
  return rowOf(answer);
}

/** How the mutation of such a call finds its answer. */
export function chargedAnswer(operation: string): StoredAnswer {
  return { operation: answerOperation(operation), answerOf: (stored) => rowOf(stored as StoredCharge) };
}

/** An answer as it is stored. A repeat of a call whose charge failed is refused again. */
type StoredCharge = SubscriptionRow | { failed: FailedCharge };

function rowOf(answer: StoredCharge): SubscriptionRow {
  if ('failed' in answer) throw paymentFailedError(answer.failed);
  return answer;
}

/** The period is open and its charge is not: the call is not answered, and its repeat continues here. */
async function chargeToItsEnd(context: KeyContext, subscriptionId: string): Promise<void> {
  if ((await chargePeriod(context, subscriptionId)) === 'taken') await awaitCharge(context, subscriptionId);
}

const pollMs = 50;

/** Waits for the charge that another process has started, or that a process was making when it died; then throws 409. */
async function awaitCharge(context: KeyContext, subscriptionId: string): Promise<void> {
  const { prisma, pool } = context.services;
  for (const until = performance.now() + waitsOf(pool).runningCallMs; ; await delay(pollMs)) {
    const open = await prisma.subscriptionPeriod.findFirst({ where: { subscriptionId, status: 'charging' } });
    const id = open?.paymentId ?? null;
    const payment = id === null ? null : await prisma.payment.findUnique({ where: { id } });
    if (payment?.subStatus !== 'processing') return followPayment(context, subscriptionId);
    if (performance.now() >= until) throw inUse();
  }
}

/** Adds the latest payment as it is now, so that a repeat of the call returns the same. */
async function withPayment({ prisma }: Services, subscription: SubscriptionRow): Promise<SubscriptionRow> {
  const { latestPaymentId: id } = subscription;
  return { ...subscription, latestPayment: id === null ? null : await prisma.payment.findUnique({ where: { id } }) };
}
