import { createHash } from 'node:crypto';
import type { Env } from '../env.ts';
import type { KeyContext } from '../graph/context.ts';
import { Conflict, invalid } from '../kit/errors.ts';
import { claimPart, findStoredCall, type StoredCall } from '../kit/idempotency.ts';
import { newId } from '../kit/ids.ts';
import { type RecordedBy, toJson } from '../kit/records.ts';
import { recordedBy, scopeOf } from '../kit/write.ts';
import { disputeAmount, permitted, readPayment } from '../payments/operations.ts';
import type { DisputeNotice, DisputeStatus } from '../ports/card-processor.ts';
import type { TestDisputes, TestProcessor } from '../processors/test-processor.ts';
import { atClockTime, atCustomersTime } from '../test-clocks/operations.ts';
import type { DisputeRow } from './dispute-records.ts';
import { mayBecome } from './lifecycle.ts';
import { readDispute } from './operations.ts';
import { receiveDispute } from './receive-dispute.ts';
import type { OpenTestDisputeInput } from './schema.ts';

/**
 * Has the cardholder of a test payment dispute it. The test processor books the dispute first, under a reference that a repeat of
 * the call has too, and then tells us of it, as a real one would; whatever a crash leaves untold is told by a sweep.
 */
export function openTestDispute(
  context: KeyContext,
  input: typeof OpenTestDisputeInput.$inferInput,
): Promise<DisputeRow> {
  const { env } = context;
  const { disputes } = testProcessorOf(env);
  const reference = referenceOf(context) ?? newId('dispute', env.clock.now());
  return atCustomersTime(context, { paymentId: input.paymentId }, () =>
    once(context, 'openTestDispute', {
      async check() {
        const { payment, transactions } = await readPayment(context, input.paymentId);
        const earlier = await disputes.find(reference);
        const amount = earlier?.amount ?? permitted(disputeAmount(payment, input.amount ?? null));
        const charge = transactions.find(
          ({ type, status }) => (type === 'purchase' || type === 'authorization') && status === 'succeeded',
        );
        if (charge?.processorType !== 'test' || charge.processorReference === null)
          throw invalid('paymentId', 'must be a payment of a test processor');
        return { amount, processorId: charge.processorId ?? '', authorizationReference: charge.processorReference };
      },
      async run({ amount, processorId, authorizationReference }) {
        const notice = await disputes.open({ reference, authorizationReference, amount, reason: input.reason });
        if (typeof notice === 'string') throw new Conflict('invalid_state', notice);
        return tell(env, disputes, recordedBy(context, env.clock.now()), processorId, notice);
      },
    }),
  );
}

/** Moves a dispute of the test processor on. The status it has already: 200, unchanged. */
export async function advanceTestDispute(
  context: KeyContext,
  disputeId: string,
  status: Exclude<DisputeStatus, 'needs_response'>,
): Promise<DisputeRow> {
  const { env } = context;
  const { disputes } = testProcessorOf(env);
  const refusal = (from: string) =>
    new Conflict(
      'invalid_state',
      `A dispute that is ${from.replaceAll('_', ' ')} cannot become ${status.replaceAll('_', ' ')}.`,
    );
  const { paymentId } = await readDispute(context, disputeId);
  return atCustomersTime(context, { paymentId }, () =>
    once<DisputeRow>(context, 'advanceTestDispute', {
      async check() {
        const dispute = await readDispute(context, disputeId);
        if (dispute.status !== status && !mayBecome(dispute.status as DisputeStatus, status))
          throw refusal(dispute.status); // a CHECK constraint holds the column to the statuses
        return dispute;
      },
      async run(dispute) {
        if (dispute.status === status) return dispute;
        const notice = await disputes.move(dispute.processorReference, status);
        if (!notice) throw invalid('disputeId', 'must be a dispute of a test processor');
        const after = await tell(env, disputes, recordedBy(context, env.clock.now()), dispute.processorId, notice);
        if (after.status !== status) throw refusal(after.status);
        return after;
      },
    }),
  );
}

/**
 * Answers a repeat of the call with what the first was answered. The effect goes by a reference of its own and happens once
 * however often it runs, so that its answer need not be stored with it: a call cut off in between is simply run again.
 */
async function once<Checked>(
  context: KeyContext,
  operation: string,
  { check, run }: { check(): Promise<Checked>; run(checked: Checked): Promise<DisputeRow> },
): Promise<DisputeRow> {
  const { pool } = context.env;
  const scope = scopeOf(context, operation);
  const stored =
    scope &&
    (await findStoredCall(pool, scope).catch(async (conflict: unknown) => {
      // A conflict comes last (contract 5): what this call would be refused for by itself is what its sender hears.
      await check();
      throw conflict;
    }));
  if (stored) return replay(context, stored);
  const result = await run(await check());
  if (!scope) return result;
  const values: unknown[] = [];
  const { rowCount } = await pool.query(
    claimPart(scope, result.id, (value) => `$${values.push(value)}`, { answer: toJson(result) }),
    values,
  );
  const faster = rowCount === 1 ? null : await findStoredCall(pool, scope);
  return faster ? replay(context, faster) : result;
}

function replay(context: KeyContext, { answer }: StoredCall): DisputeRow {
  context.replayed = true;
  return answer as DisputeRow; // stored above
}

/** Tells of the test processor's disputes that nobody was told of: of cards that dispute every charge, and what a crash left. */
export async function deliverTestDisputes(env: Env): Promise<number> {
  const notices = (await disputesOf(env)?.untold()) ?? [];
  await tellAll(env, notices);
  return notices.length;
}

/** Each at the time of its customer's test clock. What cannot be told yet is told by the sweep. */
export async function tellAll(env: Env, notices: readonly DisputeNotice[]): Promise<void> {
  const disputes = disputesOf(env);
  if (!disputes) return;
  for (const notice of notices) {
    const { rows } = await env.pool.query<{ processorId: string; testClockId: string | null }>(
      `SELECT t."processorId", p."testClockId" FROM transactions t JOIN payments p ON p.id = t."paymentId" WHERE t."processorReference" = $1 AND t."processorType" = 'test' LIMIT 1`,
      [notice.authorizationReference],
    );
    const [charged] = rows;
    if (!charged) continue;
    const telling = atClockTime(env, charged.testClockId, () => {
      const now = env.clock.now();
      const by: RecordedBy = {
        actor: { kind: 'system', id: 'test-disputes' },
        requestId: `job_test_disputes_${now.getTime()}`,
        ip: null,
        now,
        testClockId: env.clock.testClockId,
      };
      return tell(env, disputes, by, charged.processorId, notice);
    });
    await telling.catch((error: unknown) => env.log.warn({ err: error }, 'a test dispute could not be told of yet'));
  }
}

/** Null where there is no processor of tests. */
export function disputesOf({ processors }: Env): TestDisputes | null {
  const processor = processors.get('test');
  return processor && 'disputes' in processor ? (processor as TestProcessor).disputes : null; // the one processor that has such a switch
}

async function tell(
  env: Env,
  disputes: TestDisputes,
  by: RecordedBy,
  processorId: string,
  notice: DisputeNotice,
): Promise<DisputeRow> {
  const dispute = await receiveDispute(env, by, processorId, notice);
  if (!dispute) throw new Error(`No payment of ours was approved as ${notice.authorizationReference}.`);
  await disputes.told(notice);
  return dispute;
}

function testProcessorOf(env: Env): { disputes: TestDisputes } {
  const disputes = disputesOf(env);
  if (!disputes) throw new Error('There is no test processor.');
  return { disputes };
}

/** The same for every repeat of a call; without an Idempotency-Key there is none. */
function referenceOf(context: KeyContext): string | null {
  const scope = scopeOf(context, 'openTestDispute');
  return scope && `call_${createHash('sha256').update(`${scope.owner} ${scope.operation} ${scope.key}`).digest('hex')}`;
}
