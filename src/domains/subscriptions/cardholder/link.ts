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
 * What names the link to the page on which the cardholder pays the open period of a subscription. The link itself has a
 * secret behind it that is derived with a key of the platform and not stored (docs/decisions). Each period has another.
 */
export function linkIdOf({ id, periodIndex }: { id: string; periodIndex: number }): string {
  return `${id}.${Math.max(1, periodIndex)}`;
}

/** The secret part of the address of the hosted page. */
function cardholderLink(config: Pick<Config, 'fingerprintKey'>, linkId: string): string {
  return `${linkId}.${keyedHash(config.fingerprintKey, 'cardholder-link', linkId)}`;
}

/** The address of the hosted page. Whoever has it may pay the period. */
export function cardholderUrl(config: LinkConfig, linkId: string): string {
  return `${config.publicUrl}/cardholder/${cardholderLink(config, linkId)}`;
}

/** What names a link. Null if this platform did not make it. */
export function linkIdIn(config: Pick<Config, 'fingerprintKey'>, link: string): string | null {
  const linked = periodOfLink(config, link);
  return linked && linkIdOf({ id: linked.subscriptionId, periodIndex: linked.index });
}

/** What a link opens. Null if this platform did not make it. */
export function periodOfLink(config: Pick<Config, 'fingerprintKey'>, link: string): LinkedPeriod | null {
  const [, linkId, subscriptionId, index] =
    /^((sub_[0-9A-Za-z]{1,64})\.([1-9]\d{0,8}))\.[0-9A-Za-z_-]{43}$/.exec(link) ?? [];
  if (linkId === undefined || subscriptionId === undefined) return null;
  const isMade = timingSafeEqual(Buffer.from(link), Buffer.from(cardholderLink(config, linkId)));
  return isMade ? { subscriptionId, index: Number(index) } : null;
}

/**
 * Where the issuer sends the cardholder back after a challenge. The address is stored with the payment and has no
 * secret: a cookie brings the link. Null where processors take no such address.
 */
export function pageReturnUrl({ publicUrl }: Pick<Config, 'publicUrl'>, { id, mode }: { id: string; mode: string }) {
  return mode === 'test' || publicUrl.startsWith('https:') ? `${publicUrl}/cardholder/return/${id}` : null;
}

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
