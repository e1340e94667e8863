import { accountEvent, lockAnyAccount } from '../accounts/operations.ts';
import type { KybStatus } from '../accounts/lifecycle.ts';
import type { Env } from '../env.ts';
import type { KybRequirement, ProcessingAccount } from '../generated/prisma/client.ts';
import { Conflict, invalid } from '../kit/errors.ts';
import type { Write } from '../kit/write.ts';
import { inOrder, moveKyb, statesOf } from './kyb-records.ts';
import { mayReview, refusalOfApproval, type RequirementStatus, type ReviewDecision, sentBack } from './lifecycle.ts';
import type { KybCode, KybValue } from './requirements.ts';
import { openValue } from './values.ts';

/** An account with what was asked of it; values only where they were revealed. */
export interface KybReview {
  account: ProcessingAccount;
  rows: KybRequirement[];
  values: ReadonlyMap<string, KybValue> | null;
}

/** The whole of one account's KYB; with `reveal` also what was sent, in the clear. */
export async function readReview(
  { prisma, config }: Pick<Env, 'prisma' | 'config'>,
  account: ProcessingAccount,
  reveal: boolean,
): Promise<KybReview> {
  const rows = inOrder(await prisma.kybRequirement.findMany({ where: { platformAccountId: account.id } }));
  return { account, rows, values: reveal ? valuesOf(config, rows) : null };
}

function valuesOf(config: Env['config'], rows: readonly KybRequirement[]): Map<string, KybValue> {
  const values = new Map<string, KybValue>();
  for (const row of rows) {
    const value = openValue(config, row);
    if (value !== null) values.set(row.code, value);
  }
  return values;
}

/** Decides about one requirement; the whole is decided by `approveKyb` or `rejectKyb`, and until then this can be said anew. */
export async function reviewRequirement(
  change: Write,
  accountId: string,
  { code, decision, reason }: { code: KybCode; decision: ReviewDecision; reason: string | null },
): Promise<ProcessingAccount> {
  if (decision === 'rejected' && reason === null) throw invalid('reason', 'is required to reject');
  if (decision === 'approved' && reason !== null) throw invalid('reason', 'is taken to reject only');
  const { account, rows } = await lockKyb(change, accountId);
  const row = rows.find((candidate) => candidate.code === code);
  if (!row || !mayReview(account.kybStatus as KybStatus, row.status as RequirementStatus, decision))
    throw notWaiting(account); // CHECK constraints hold both columns to the states
  const shown = ({ status, rejectionReason }: Pick<KybRequirement, 'status' | 'rejectionReason'>) => ({
    code,
    status,
    rejectionReason,
  });
  change.audit({
    action: 'reviewKybRequirement',
    target: accountId,
    before: shown(row),
    after: shown({ status: decision, rejectionReason: reason }),
  });
  if (row.status === decision && row.rejectionReason === reason) return account;
  await change.tx.kybRequirement.update({
    where: { id: row.id },
    data: { status: decision, rejectionReason: reason, reviewedAt: change.now },
  });
  return (await moveKyb(change, account, 'submitted')).account;
}

/** Approves everything, and lets an account that waited for this charge. `submittedAt` is what the reviewer read: 409 when it was sent anew since. */
export async function approveKyb(
  change: Write,
  accountId: string,
  submittedAt: Date | null,
): Promise<ProcessingAccount> {
  const { tx, now } = change;
  const { account, rows } = await lockKyb(change, accountId);
  if (account.kybStatus === 'approved') return unchanged(change, 'approveKyb', account);
  const refusal = refusalOfApproval(account.kybStatus as KybStatus, statesOf(rows)); // a CHECK constraint holds the column to the states
  if (refusal === 'not_submitted') throw notWaiting(account);
  if (refusal === 'requirement_rejected')
    throw new Conflict(
      'invalid_state',
      'A requirement was rejected: approve it first, or reject the whole (invalid_state).',
    );
  assertRead(account, submittedAt);
  await tx.kybRequirement.updateMany({
    where: { platformAccountId: accountId, status: 'submitted' },
    data: { status: 'approved', reviewedAt: now },
  });
  const { account: approved } = await moveKyb(change, account, 'approved');
  const after = approved.status === 'pending_operator_assignment' ? await activate(change, approved) : approved;
  change.audit({ action: 'approveKyb', target: accountId, before: standingOf(account), after: standingOf(after) });
  return after;
}

/** Sends back what was rejected one by one, or else everything. */
export async function rejectKyb(
  change: Write,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<ProcessingAccount> {
  const { tx, now } = change;
  const { account, rows } = await lockKyb(change, accountId);
  if (account.kybStatus === 'rejected') return unchanged(change, 'rejectKyb', account);
  if (account.kybStatus !== 'submitted') throw notWaiting(account);
  assertRead(account, submittedAt);
  const back = sentBack(statesOf(rows));
  const undecided = back.filter(({ status }) => status !== 'rejected').map(({ id }) => id);
  await tx.kybRequirement.updateMany({
    where: { id: { in: undecided } },
    data: { status: 'rejected', rejectionReason: reason, reviewedAt: now },
  });
  const { account: after } = await moveKyb(change, account, 'rejected');
  change.audit({
    action: 'rejectKyb',
    target: accountId,
    before: standingOf(account),
    after: { ...standingOf(after), reason, codes: back.map(({ code }) => code) },
  });
  return after;
}

async function lockKyb(
  change: Write,
  accountId: string,
): Promise<{ account: ProcessingAccount; rows: KybRequirement[] }> {
  const account = await lockAnyAccount(change, accountId);
  if (account.status === 'closed') throw new Conflict('invalid_state', 'The account is closed (invalid_state).');
  return {
    account,
    rows: inOrder(await change.tx.kybRequirement.findMany({ where: { platformAccountId: accountId } })),
  };
}

async function activate({ tx, now, event }: Write, { id }: ProcessingAccount): Promise<ProcessingAccount> {
  const account = await tx.processingAccount.update({
    where: { id },
    data: { status: 'active', sequence: { increment: 1 }, updatedAt: now },
  });
  event(accountEvent('account/updated', account));
  return account;
}

/** Somebody was here first and decided the same. */
function unchanged({ audit }: Write, action: string, account: ProcessingAccount): ProcessingAccount {
  audit({ action, target: account.id, before: standingOf(account), after: standingOf(account) });
  return account;
}

/** A slow reviewer must not decide about what was sent after they looked. */
function assertRead({ kybSubmittedAt }: ProcessingAccount, submittedAt: Date | null): void {
  if (submittedAt !== null && submittedAt.getTime() !== kybSubmittedAt?.getTime())
    throw new Conflict('invalid_state', 'It was sent anew since you read it: read it again (invalid_state).');
}

function notWaiting({ kybStatus }: ProcessingAccount): Conflict {
  return new Conflict('invalid_state', `This does not wait for a review: the KYB is ${kybStatus} (invalid_state).`, {
    kybStatus,
  });
}

function standingOf({ status, kybStatus }: ProcessingAccount): object {
  return { status, kybStatus };
}
