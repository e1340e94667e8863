import type { PartnerContext } from '../../../call/context.ts';
import type { KybRequirement, ProcessingAccount } from '../../../generated/prisma/client.ts';
import { Conflict, type InputIssue, InvalidInput, invalid } from '../../../lib/errors.ts';
import type { Services } from '../../../services.ts';
import { type Write, write } from '../../../unit-of-work/write.ts';
import { type KybStatus, lockAccount } from '../account-rows.ts';
import {
  inOrder,
  type KybObject,
  kybObject,
  moveKyb,
  openValue,
  sealValue,
  setRequirements,
  statesOf,
} from './kyb-rows.ts';
import { kybCodes, maySubmit, type RequirementStatus, statusAfterSubmission } from './lifecycle.ts';
import type { SubmitKybInput } from './schema.ts';

/**
 * Stores the values of some or all requirements. Once none is missing the account awaits review; a test account is
 * decided immediately.
 */
export async function submitKyb(
  context: PartnerContext,
  accountId: string,
  { items }: typeof SubmitKybInput.$inferInput,
): Promise<KybObject> {
  assertEachOnce(items);
  return write(context, 'submitKyb', async (change) => {
    const account = await lockAccount(change, context, accountId);
    const before = await change.tx.kybRequirement.findMany({ where: { platformAccountId: account.id } });
    assertTaken(account, before, items);
    const sent = { status: 'submitted', submittedAt: change.now, reviewedAt: null, rejectionReason: null };
    for (const { code, value } of items) {
      const { id } = requirementRow(before, code);
      await setRequirements(change, { id }, { ...sent, value: sealValue(context.services.config, id, value) });
    }
    const states = statesOf(
      before.map((row) => (items.some(({ code }) => code === row.code) ? { ...row, status: 'submitted' } : row)),
    );
    // a CHECK constraint limits the column to the states
    const moved = await moveKyb(change, account, statusAfterSubmission(account.kybStatus as KybStatus, states));
    // The audit row names the codes and never contains the values.
    change.audit({
      action: 'submitKyb',
      target: account.id,
      before: { kybStatus: account.kybStatus },
      after: { kybStatus: moved.account.kybStatus, codes: items.map(({ code }) => code).sort() },
    });
    const { account: after, rows } =
      account.mode === 'test' && moved.account.kybStatus === 'submitted'
        ? await decideTest(context.services, change, moved.account, moved.rows)
        : moved;
    return kybObject(after, rows);
  });
}

function assertEachOnce(items: readonly { code: string }[]): void {
  if (items.length === 0) throw invalid('items', 'must contain at least one item');
  const codes = items.map(({ code }) => code);
  const issues: InputIssue[] = codes.flatMap((code, index) =>
    codes.indexOf(code) < index ? [{ path: `items[${index}].code`, message: 'must be unique' }] : [],
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
      'The submission is being reviewed: what is rejected can be sent again after the review.',
    );
  const approvedCodes = items
    .map(({ code }) => code)
    // CHECK constraints limit both columns to the states
    .filter((code) => !maySubmit(kybStatus as KybStatus, requirementRow(rows, code).status as RequirementStatus));
  if (approvedCodes.length > 0)
    throw new Conflict('invalid_state', `Approved already: ${approvedCodes.join(', ')}.`, { codes: approvedCodes });
}

function requirementRow(rows: readonly KybRequirement[], code: string): KybRequirement {
  const row = rows.find((candidate) => candidate.code === code);
  if (!row) throw new Error(`An account has no requirement ${code}.`);
  return row;
}

/** Decides on a test account without a reviewer: approves all requirements except those whose value is `reject`. */
async function decideTest(
  { config }: Pick<Services, 'config'>,
  change: Write,
  account: ProcessingAccount,
  rows: readonly KybRequirement[],
): Promise<{ account: ProcessingAccount; rows: KybRequirement[] }> {
  const { now } = change;
  const undecided = rows.filter(({ status }) => status === 'submitted');
  const rejected = undecided.filter((row) => openValue(config, row) === 'reject').map(({ id }) => id);
  const approved = undecided.map(({ id }) => id).filter((id) => !rejected.includes(id));
  await setRequirements(change, { id: { in: approved } }, { status: 'approved', reviewedAt: now });
  await setRequirements(
    change,
    { id: { in: rejected } },
    {
      status: 'rejected',
      reviewedAt: now,
      rejectionReason: 'Rejected because the value is "reject" (test mode).',
    },
  );
  const moved = await moveKyb(change, account, rejected.length > 0 ? 'rejected' : 'approved');
  return { account: moved.account, rows: inOrder(moved.rows) };
}
