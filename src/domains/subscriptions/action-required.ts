import type { Config } from '../../runtime/config.ts';
import { cardholderUrl, linkIdOf } from './cardholder-link.ts';
import { type ActionReason, lastRetryAt } from './lifecycle.ts';
import type { SubscriptionRow } from './types.ts';

/** What the cardholder has to do. `linkId` names the link to the hosted page and opens nothing. */
export interface ActionRequired {
  reason: ActionReason;
  linkId: string;
  expiresAt: Date;
}

/** What the cardholder has to do; null unless the subscription is past due for a reason that asks for that. */
export function actionRequiredOf(
  subscription: Pick<SubscriptionRow, 'id' | 'status' | 'actionReason' | 'firstFailedAt' | 'periodIndex'>,
): ActionRequired | null {
  const { status, actionReason, firstFailedAt } = subscription;
  if (status !== 'past_due' || actionReason === null || firstFailedAt === null) return null;
  return {
    reason: actionReason as ActionReason, // a CHECK constraint holds the column to the list
    linkId: linkIdOf(subscription),
    expiresAt: lastRetryAt(new Date(firstFailedAt)),
  };
}

interface EventData {
  object: unknown;
}

/**
 * The data of an event as it is shown. An event is stored without the secrets of the links in it, so that the database
 * opens no page: here the link is completed for those who may have it, and left out for others.
 */
export function shownData<Data extends EventData>(
  config: Pick<Config, 'publicUrl' | 'fingerprintKey'>,
  data: Data,
  { withLinks }: { withLinks: boolean },
): Data {
  const { object } = data;
  if (!hasAction(object)) return data;
  const { linkId, ...action } = object.actionRequired;
  const url = withLinks ? cardholderUrl(config, linkId) : null;
  return { ...data, object: { ...object, actionRequired: { ...action, url } } };
}

function hasAction(object: unknown): object is { actionRequired: { linkId: string } } {
  const { actionRequired } = object as { actionRequired?: { linkId?: unknown } | null }; // an event's object is one
  return typeof actionRequired?.linkId === 'string';
}
