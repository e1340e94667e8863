import { timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../../../keys/derived-key.ts';
import type { Config } from '../../../settings/config.ts';
import { type ActionReason, lastRetryAt } from '../subscription/lifecycle.ts';
import type { SubscriptionRow } from '../types.ts';

/** The period that a link pays. */
export interface LinkedPeriod {
  subscriptionId: string;
  index: number;
}

type LinkConfig = Pick<Config, 'publicUrl' | 'fingerprintKey'>;

/**
 * The id of the link to the page on which the cardholder pays the open period of a subscription. The link itself is the
 * id with a secret that is derived with a key of the platform and not stored (docs/decisions.md, 18). Each period has
 * its own link.
 */
export function linkIdOf({ id, periodIndex }: { id: string; periodIndex: number }): string {
  return `${id}.${Math.max(1, periodIndex)}`;
}

/** The secret part of the address of the hosted page. */
function cardholderLink(config: Pick<Config, 'fingerprintKey'>, linkId: string): string {
  return `${linkId}.${keyedHash(config.fingerprintKey, 'cardholder-link', linkId)}`;
}

/** The address of the hosted page. Anyone who has it may pay the period. */
export function cardholderUrl(config: LinkConfig, linkId: string): string {
  return `${config.publicUrl}/cardholder/${cardholderLink(config, linkId)}`;
}

/** The id in a link. Null if this platform did not create the link. */
export function linkIdIn(config: Pick<Config, 'fingerprintKey'>, link: string): string | null {
  const linked = periodOfLink(config, link);
  return linked && linkIdOf({ id: linked.subscriptionId, periodIndex: linked.index });
}

/** The period of a link. Null if this platform did not create the link. */
export function periodOfLink(config: Pick<Config, 'fingerprintKey'>, link: string): LinkedPeriod | null {
  const [, linkId, subscriptionId, index] =
    /^((sub_[0-9A-Za-z]{1,64})\.([1-9]\d{0,8}))\.[0-9A-Za-z_-]{43}$/.exec(link) ?? [];
  if (linkId === undefined || subscriptionId === undefined) return null;
  const isMade = timingSafeEqual(Buffer.from(link), Buffer.from(cardholderLink(config, linkId)));
  return isMade ? { subscriptionId, index: Number(index) } : null;
}

/**
 * The address to which the issuer returns the cardholder after a challenge. It is stored with the payment and contains
 * no secret: a cookie carries the link. Null where processors accept no such address.
 */
export function pageReturnUrl({ publicUrl }: Pick<Config, 'publicUrl'>, { id, mode }: { id: string; mode: string }) {
  return mode === 'test' || publicUrl.startsWith('https:') ? `${publicUrl}/cardholder/return/${id}` : null;
}

/** What the cardholder must do. `linkId` is the id of the link to the hosted page and grants no access. */
export interface ActionRequired {
  reason: ActionReason;
  linkId: string;
  expiresAt: Date;
}

/** What the cardholder must do; null unless the subscription is past due for a reason that requires it. */
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
 * The data of an event as it is shown. Events are stored without the secrets of their links, so that the database
 * grants no access to pages: here the link is completed for readers who may have it, and left out for others.
 */
export function withLinkUrls<Data extends EventData>(
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
