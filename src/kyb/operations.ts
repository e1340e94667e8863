import { lockAccount, readAccount } from '../accounts/operations.ts';
import type { KybStatus } from '../accounts/lifecycle.ts';
import type { Env } from '../env.ts';
import type { KybRequirement, ProcessingAccount } from '../generated/prisma/client.ts';
import type { KeyContext, PartnerKeyContext } from '../graph/context.ts';
import { Conflict, type InputIssue, InvalidInput, invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { inOrder, type KybView, kybView, moveKyb, statesOf } from './kyb-records.ts';
import { maySubmit, statusAfterSubmission, type RequirementStatus } from './lifecycle.ts';
import { kybCodes } from './requirements.ts';
import type { SubmitKybInput } from './schema.ts';
import { openValue, sealValue } from './values.ts';

export { approveKyb, readReview, rejectKyb, type KybReview, reviewRequirement } from './review.ts';
export { kybView, type KybView, type RequirementView } from './kyb-records.ts';

/** Asks a new account for everything, within the change that makes it. */
export async function seedKybRequirements(
  { tx, now }: Write,
  { id: platformAccountId, partnerId, mode }: ProcessingAccount,
): Promise<void> {
  await tx.kybRequirement.createMany({
    data: kybCodes.map((code) => ({ id: newId('kybRequirement', now), partnerId, platformAccountId, mode, code })),
  });
}

export async function describeKyb(context: KeyContext, accountId: string): Promise<KybView> {
  const account = await readAccount(context, accountId);
  return kybView(
    account,
    await context.env.prisma.kybRequirement.findMany({ where: { platformAccountId: account.id } }),
  );
}

/** Takes what is sent for some or all requirements. With the last of them the account waits for a reviewer; a test account has its outcome at once. */
export async function submitKyb(
  context: PartnerKeyContext,
  accountId: string,
  { items }: typeof SubmitKybInput.$inferInput,
): Promise<KybView> {
  assertEachOnce(items);
  return write(context, 'submitKyb', async (change) => {
    const account = await lockAccount(change, context, accountId);
    const before = await change.tx.kybRequirement.findMany({ where: { platformAccountId: account.id } });
    assertTaken(account, before, items);
    const sent = { status: 'submitted', submittedAt: change.now, reviewedAt: null, rejectionReason: null };
    for (const { code, value } of items) {
      const { id } = rowOf(before, code);
      await change.tx.kybRequirement.update({
        where: { id },
        data: { ...sent, value: sealValue(context.env.config, id, value) },
      });
    }
    const states = statesOf(
      before.map((row) => (items.some(({ code }) => code === row.code) ? { ...row, status: 'submitted' } : row)),
    );
    const moved = await moveKyb(change, account, statusAfterSubmission(account.kybStatus as KybStatus, states)); // a CHECK constraint holds the column to the states
    // Who sent what, and never what it was.
    change.audit({
      action: 'submitKyb',
      target: account.id,
      before: { kybStatus: account.kybStatus },
      after: { kybStatus: moved.account.kybStatus, codes: items.map(({ code }) => code).sort() },
    });
    const { account: after, rows } =
      account.mode === 'test' && moved.account.kybStatus === 'submitted'
        ? await decideTest(context.env, change, moved.account, moved.rows)
        : moved;
    return kybView(after, rows);
  });
}

/** A test account needs no reviewer: it is approved, but for what says `reject`. */
async function decideTest(
  { config }: Pick<Env, 'config'>,
  change: Write,
  account: ProcessingAccount,
  rows: readonly KybRequirement[],
): Promise<{ account: ProcessingAccount; rows: KybRequirement[] }> {
  const { tx, now } = change;
  const undecided = rows.filter(({ status }) => status === 'submitted');
  const rejected = undecided.filter((row) => openValue(config, row) === 'reject').map(({ id }) => id);
  const approved = undecided.map(({ id }) => id).filter((id) => !rejected.includes(id));
  await tx.kybRequirement.updateMany({
    where: { id: { in: approved } },
    data: { status: 'approved', reviewedAt: now },
  });
  await tx.kybRequirement.updateMany({
    where: { id: { in: rejected } },
    data: {
      status: 'rejected',
      reviewedAt: now,
      rejectionReason: 'Rejected because the value is "reject" (test mode).',
    },
  });
  const moved = await moveKyb(change, account, rejected.length > 0 ? 'rejected' : 'approved');
  return { account: moved.account, rows: inOrder(moved.rows) };
}

function assertEachOnce(items: readonly { code: string }[]): void {
  if (items.length === 0) throw invalid('items', 'must hold at least one item');
  const codes = items.map(({ code }) => code);
  const issues: InputIssue[] = codes.flatMap((code, index) =>
    codes.indexOf(code) < index ? [{ path: `items[${index}].code`, message: 'must not come twice' }] : [],
  );
  if (issues.length > 0) throw new InvalidInput(issues.slice(0, kybCodes.length));
}

function assertTaken(
  { status, kybStatus }: ProcessingAccount,
  rows: readonly KybRequirement[],
  items: readonly { code: string }[],
): void {
  if (status === 'closed') throw new Conflict('invalid_state', 'The account is closed.');
  if (kybStatus === 'submitted')
    throw new Conflict(
      'invalid_state',
      'The submission is being reviewed: what is rejected can be sent again afterwards.',
    );
  const settled = items
    .map(({ code }) => code)
    .filter((code) => !maySubmit(kybStatus as KybStatus, rowOf(rows, code).status as RequirementStatus)); // CHECK constraints hold both columns to the states
  if (settled.length > 0)
    throw new Conflict('invalid_state', `Approved already: ${settled.join(', ')}.`, { codes: settled });
}

function rowOf(rows: readonly KybRequirement[], code: string): KybRequirement {
  const row = rows.find((candidate) => candidate.code === code);
  if (!row) throw new Error(`An account has no requirement ${code}.`);
  return row;
}
