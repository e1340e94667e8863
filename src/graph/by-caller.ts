import { isSession } from '../auth/caller.ts';
import { type TenantColumns, tenantOfRow, tenantWhere } from '../auth/tenancy.ts';
import { objectVisibilityOf } from '../auth/visibility.ts';
import { type Kind, requireRow, visible } from '../auth/visible.ts';
import {
  contextFor,
  type OnBehalf,
  type SessionContext,
  type TenantContext,
  type ViewerContext,
} from '../call/context.ts';
import { invalid } from '../lib/errors.ts';
import { recordUnlessRepeat } from './plugins.ts';

/** Why a person does for an account what its keys do, of a mutation that keys and people call. */
export const reasonOfPeople = {
  type: 'Name',
  description:
    'For people, who must give it: why it is done, 1 to 200 characters. Recorded in the audit log, and not shown to the ' +
    'partner.',
} as const;

/** The same of a mutation that only people call. */
export const reason = {
  type: 'Name',
  required: true,
  description: 'Why it is done, recorded in the audit log. Not shown to the partner.',
} as const;

/** What people read of a mutation that keys call, too. */
export const doneByPeople =
  'People give a `reason` and act on objects of either mode, whatever the statuses of the account and its partner are. ' +
  'The partner gets the usual events. The change is recorded in the audit log. An `Idempotency-Key` belongs to the user.';

/** What people read of a mutation of test mode that keys call, too. */
export const doneByPeopleInTestMode =
  'Internal staff change the objects of every account, admins of a partner those of their own; an object of live mode ' +
  'is 400. The change is recorded in the audit log. An `Idempotency-Key` belongs to the user.';

/** The account that people name for a new object, which belongs to the account of the key or of its store for keys. */
export const accountOfPeople = { description: 'For people, who must name it: the account, prefix `tpa_`.' } as const;

/** A change that keys make of their own objects, and people of those of any account. */
interface Change {
  /** The name of the mutation, which its audit rows have. */
  field: string;
  /** The identifier of the object. */
  target: string;
}

/** The object of a change, which a person must see. */
interface ChangeOf extends Change {
  kind: Kind;
  /** A condition of its own, such as that it is not deleted. */
  where?: object;
  reason: string | null | undefined;
}

/** A change of test mode, which finds the object for a person or throws its 404. */
interface ChangeOfTestMode extends Change {
  find(): Promise<TenantColumns>;
}

const owner = { partnerId: true, platformAccountId: true, mode: true } as const;

/** Runs an operation as its key, or for a person as its account with an audit row. */
export async function byCaller<Result>(
  context: ViewerContext,
  { field, target, reason, kind, where }: ChangeOf,
  run: (own: TenantContext) => Promise<Result>,
): Promise<Result> {
  if (!isOfPerson(context)) {
    if (reason != null) throw invalid('reason', 'is for people: an API key acts for its own account');
    return run(context);
  }
  if (reason == null) throw invalid('reason', `is required for people by ${field}: why it is done`);
  const find = async (): Promise<TenantColumns> => {
    if (kind === 'processingAccount') return ownerInAccount(context, target);
    const seen = tenantWhere(await objectVisibilityOf(context));
    return requireRow(context.services.prisma, kind, { ...seen, ...where, id: target }, { select: owner });
  };
  return actOnBehalf(context, { action: field, target, reason }, find, run);
}

/** As `byCaller`, for a change of test mode, for which people give no reason. `argument` names the object. */
export async function byCallerInTestMode<Result>(
  context: ViewerContext,
  { field, target, find }: ChangeOfTestMode,
  argument: string,
  run: (own: TenantContext) => Promise<Result>,
): Promise<Result> {
  if (!isOfPerson(context)) return run(context);
  const findOfTestMode = async (): Promise<TenantColumns> => {
    const found = await find();
    if (found.mode !== 'test') throw invalid(argument, 'must be of test mode: live mode cannot be simulated');
    return found;
  };
  return actOnBehalf(context, { action: field, target, reason: null }, findOfTestMode, run);
}

/** The account in which a person creates an object: keys name none, and people no store. */
export function namedAccount(
  context: ViewerContext,
  {
    platformAccountId,
    storeId,
  }: { platformAccountId?: string | null | undefined; storeId?: string | null | undefined },
): string {
  if (!isOfPerson(context)) {
    if (platformAccountId != null) throw invalid('platformAccountId', 'is for people: an API key names a store');
    return '';
  }
  if (platformAccountId == null) throw invalid('platformAccountId', 'is required for people');
  if (storeId != null) throw invalid('input.storeId', 'is for API keys');
  return platformAccountId;
}

/** The owner of what is created in an account that a person sees, or 404. */
export async function ownerInAccount(context: ViewerContext, id: string): Promise<TenantColumns> {
  const { partnerId, mode } = await visible(context, 'processingAccount', id);
  return { partnerId, platformAccountId: id, mode };
}

export function isOfPerson(context: ViewerContext): context is SessionContext {
  return isSession(context.caller);
}

/**
 * Runs the operation that an account's own keys use, with a person as actor. The account and the mode are those of the
 * object, regardless of the statuses of account and partner. The audit row is part of the change; a rejected change has
 * an audit row with the reason.
 */
export async function actOnBehalf<Result>(
  context: SessionContext,
  { target, ...onBehalf }: OnBehalf & { target: string },
  find: () => Promise<TenantColumns>,
  run: (own: TenantContext) => Promise<Result>,
): Promise<Result> {
  const { action, reason } = onBehalf;
  try {
    const owned = await find();
    const { services, caller, requestId, ip, idempotencyOfUser: idempotency, answer } = context;
    const actor = { ...context.actor, mode: tenantOfRow(owned).mode };
    return await run(contextFor(owned, { services, caller, actor, requestId, ip, idempotency, onBehalf, answer }));
  } catch (error) {
    await recordUnlessRepeat(context, { action, target, reason }, error);
    throw error;
  }
}
