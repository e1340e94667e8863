import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConnectAttempt } from '../../generated/prisma/client.ts';
import { Forbidden } from '../../kit/errors.ts';
import { type Brand, brandFields, brandOf } from '../../look/brand.ts';
import type { Services } from '../../services.ts';
import { findAttempt } from './find-attempt.ts';
import { authorizationUrl } from './initiate-connect.ts';
import { stateOf } from './state.ts';

/** Whom a merchant is about to join, as the page of consent names them. */
export interface Consent {
  attempt: ConnectAttempt;
  partnerName: string;
  brand: Brand;
  accountName: string;
  isOver: boolean;
}

/** Reads what a merchant consents to. 400 for a state that was not issued here. */
export async function readConsent(services: Services, query: URLSearchParams): Promise<Consent> {
  const attempt = await findAttempt(services, query);
  const { prisma, clock } = services;
  const [partner, account] = await Promise.all([
    prisma.partner.findUniqueOrThrow({ where: { id: attempt.partnerId } }),
    prisma.processingAccount.findUniqueOrThrow({ where: { id: attempt.platformAccountId } }),
  ]);
  const isOver = attempt.usedAt !== null || attempt.expiresAt <= clock.passed();
  return { attempt, partnerName: partner.name, brand: brandOf(partner), accountName: account.legalName, isOver };
}

/** The brand of the partner whose attempt it is. */
export async function brandOfAttempt(
  { prisma }: Pick<Services, 'prisma'>,
  { partnerId }: Pick<ConnectAttempt, 'partnerId'>,
): Promise<Brand> {
  return brandOf(await prisma.partner.findUniqueOrThrow({ where: { id: partnerId }, select: brandFields }));
}

/**
 * The token of the page's form. It is bound to a cookie of the browser, which another site can neither read nor set.
 */
export function formTokenOf(config: Services['config'], attempt: ConnectAttempt, cookie: string): string {
  return signed(config, attempt, `form:${cookie}`);
}

/** The cookie by which the callback knows the browser in which the merchant consented. */
export function consentCookieOf(config: Services['config'], attempt: ConnectAttempt): { name: string; value: string } {
  return { name: `connect_${attempt.id}`, value: signed(config, attempt, 'consented') };
}

/** Where the merchant goes on after the consent. 403 unless the form is that of the page in the same browser. */
export async function giveConsent(
  { config }: Pick<Services, 'config'>,
  attempt: ConnectAttempt,
  { token, cookie }: { token: string; cookie: string },
): Promise<string> {
  if (cookie === '' || !isSame(token, formTokenOf(config, attempt, cookie))) throw consentMissing();
  return authorizationUrl({ config }, attempt);
}

/** Rejects a callback in another browser: a merchant who was sent past the page has not seen whom they join. */
export function assertConsent(config: Services['config'], attempt: ConnectAttempt, cookie: string): void {
  if (!isSame(cookie, consentCookieOf(config, attempt).value)) throw consentMissing();
}

function consentMissing(): Forbidden {
  return new Forbidden('consent_missing', 'The connection was not confirmed in this browser (consent_missing).');
}

function signed({ fingerprintKey }: Services['config'], attempt: ConnectAttempt, purpose: string): string {
  const text = `connect-consent:${stateOf({ fingerprintKey }, attempt)}:${purpose}`;
  return createHmac('sha256', fingerprintKey).update(text).digest('base64url');
}

function isSame(given: string, right: string): boolean {
  const [left, other] = [Buffer.from(given), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
