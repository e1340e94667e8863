import { timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../../kit/derived-key.ts';
import type { Config } from '../../runtime/config.ts';

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
