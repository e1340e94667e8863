import type { KybRequirement, ProcessingAccount } from '../../../generated/prisma/client.ts';
import { Conflict, invalid } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import type { Write } from '../../../unit-of-work/write.ts';
import { type KybStatus, lockAnyAccount, recordAccountEvent, setAccount } from '../account-rows.ts';
import { inOrder, type KybView, kybObject, moveKyb, openValue, setRequirements, statesOf } from './kyb-rows.ts';
import {
  type KybCode,
  type KybValue,
  mayReview,
  type RequirementStatus,
  type ReviewDecision,
  refusalOfApproval,
  rejectedRequirements,
} from './lifecycle.ts';

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

/** Another reviewer has already made the same decision: only the audit row is written. */
function unchanged({ audit }: Write, action: string, account: ProcessingAccount): ProcessingAccount {
  const shown = statusFieldsOf(account);
  audit({ action, target: account.id, before: shown, after: shown, mode: account.mode, partnerId: account.partnerId });
  return account;
}

/** Throws if values were submitted after the reviewer read the review. */
function assertRead({ kybSubmittedAt }: ProcessingAccount, submittedAt: Date | null): void {
  if (submittedAt !== null && submittedAt.getTime() !== kybSubmittedAt?.getTime())
    throw new Conflict('invalid_state', 'It was resubmitted since you read it. Read it again (invalid_state).');
}

function notWaiting({ kybStatus }: ProcessingAccount): Conflict {
  return new Conflict('invalid_state', `The KYB is not awaiting review: it is ${kybStatus} (invalid_state).`, {
    kybStatus,
  });
}

function statusFieldsOf({ status, kybStatus }: ProcessingAccount): object {
  return { status, kybStatus };
}

/**
 * Approves the KYB and activates an account that was waiting for it. `submittedAt` identifies the submission that the
 * reviewer read: 409 if there is a newer one.
 */
export async function approveKyb(
  change: Write,
  accountId: string,
  submittedAt: Date | null,
): Promise<ProcessingAccount> {
  const { now } = change;
  const { account, rows } = await lockKyb(change, accountId);
  if (account.kybStatus === 'approved') return unchanged(change, 'approveKyb', account);
  // a CHECK constraint limits the column to the states
  const refusal = refusalOfApproval(account.kybStatus as KybStatus, statesOf(rows));
  if (refusal === 'not_submitted') throw notWaiting(account);
  if (refusal === 'requirement_rejected')
    throw new Conflict(
      'invalid_state',
      'A requirement was rejected: approve it first, or reject the KYB (invalid_state).',
    );
  assertRead(account, submittedAt);
  await setRequirements(
    change,
    { platformAccountId: accountId, status: 'submitted' },
    { status: 'approved', reviewedAt: now },
  );
  const { account: approved } = await moveKyb(change, account, 'approved');
  const after = approved.status === 'pending_operator_assignment' ? await activate(change, approved) : approved;
  change.audit({
    action: 'approveKyb',
    target: accountId,
    partnerId: account.partnerId,
    before: statusFieldsOf(account),
    after: statusFieldsOf(after),
  });
  return after;
}

async function activate(change: Write, { id }: ProcessingAccount): Promise<ProcessingAccount> {
  const account = await setAccount(change, id, { status: 'active' });
  await recordAccountEvent(change, 'account/updated', account);
  return account;
}

/** Rejects the KYB: the requirements that were rejected individually, or all submitted ones if there are none. */
export async function rejectKyb(
  change: Write,
  accountId: string,
  reason: string,
  submittedAt: Date | null,
): Promise<ProcessingAccount> {
  const { now } = change;
  const { account, rows } = await lockKyb(change, accountId);
  if (account.kybStatus === 'rejected') return unchanged(change, 'rejectKyb', account);
  if (account.kybStatus !== 'submitted') throw notWaiting(account);
  assertRead(account, submittedAt);
  const back = rejectedRequirements(statesOf(rows));
  const undecided = back.filter(({ status }) => status !== 'rejected').map(({ id }) => id);
  await setRequirements(
    change,
    { id: { in: undecided } },
    { status: 'rejected', rejectionReason: reason, reviewedAt: now },
  );
  const { account: after } = await moveKyb(change, account, 'rejected');
  change.audit({
    action: 'rejectKyb',
    target: accountId,
    partnerId: account.partnerId,
    before: statusFieldsOf(account),
    after: { ...statusFieldsOf(after), reason, codes: back.map(({ code }) => code) },
  });
  return after;
}

/** Decides on one requirement. The decision can be repeated until `approveKyb` or `rejectKyb` decides on the whole. */
export async function reviewRequirement(
  change: Write,
  accountId: string,
  { code, decision, reason }: { code: KybCode; decision: ReviewDecision; reason: string | null },
): Promise<ProcessingAccount> {
  if (decision === 'rejected' && reason === null) throw invalid('reason', 'is required for a rejection');
  if (decision === 'approved' && reason !== null) throw invalid('reason', 'is allowed only for a rejection');
  const { account, rows } = await lockKyb(change, accountId);
  const row = rows.find((candidate) => candidate.code === code);
  if (!row || !mayReview(account.kybStatus as KybStatus, row.status as RequirementStatus, decision))
    throw notWaiting(account); // CHECK constraints limit both columns to the states
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
    mode: account.mode,
    partnerId: account.partnerId,
  });
  if (row.status === decision && row.rejectionReason === reason) return account;
  await setRequirements(change, { id: row.id }, { status: decision, rejectionReason: reason, reviewedAt: change.now });
  return (await moveKyb(change, account, 'submitted')).account;
}

/** The KYB of an account with the submitted values in clear text. */
export async function readRevealed(
  { prisma, config }: Pick<Services, 'prisma' | 'config'>,
  account: ProcessingAccount,
): Promise<KybView> {
  const rows = await prisma.kybRequirement.findMany({ where: { platformAccountId: account.id } });
  return { ...kybObject(account, rows), account, values: valuesOf(config, rows) };
}

function valuesOf(config: Services['config'], rows: readonly KybRequirement[]): Map<string, KybValue> {
  const values = new Map<string, KybValue>();
  for (const row of rows) {
    const value = openValue(config, row);
    if (value !== null) values.set(row.code, value);
  }
  return values;
}
