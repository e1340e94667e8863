import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { assertModeServed } from '../../../auth/modes.ts';
import type { TenantContext } from '../../../call/context.ts';
import type { ConnectAttempt } from '../../../generated/prisma/client.ts';
import { keyedHash } from '../../../keys/derived-key.ts';
import { decryptSecret, encryptSecret } from '../../../keys/envelope.ts';
import { parseKeyRing } from '../../../keys/key-ring.ts';
import { Conflict, Forbidden, invalid } from '../../../lib/errors.ts';
import { type Mode, randomBase62 } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { type Brand, brandFields, brandOf } from '../../../theme/brand.ts';
import { write } from '../../../unit-of-work/write.ts';
import { lockProcessor } from '../rows.ts';
import type { InitiateConnectInput } from './schema.ts';

/** The fields that a state signs: it is valid for one processor, account and mode, until it expires. */
export type SignedAttempt = Pick<
  ConnectAttempt,
  'id' | 'processorId' | 'platformAccountId' | 'partnerId' | 'mode' | 'expiresAt'
>;

/** The state of an attempt. It is not stored but computed from the row and the platform's key. */
export function oauthState(
  { fingerprintKey }: Pick<Services['config'], 'fingerprintKey'>,
  { id, processorId, platformAccountId, partnerId, mode, expiresAt }: SignedAttempt,
): string {
  const signed = ['connect-state', id, processorId, platformAccountId, partnerId, mode, expiresAt.toISOString()].join(
    ':',
  );
  return `${id}.${keyedHash(fingerprintKey, 'connect-state', signed)}`;
}

/** The hash by which a state is looked up, so that the table does not contain the states themselves. */
function hashOfState(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

/** Whether a state belongs to the attempt and the attempt's row has not been altered since. */
function isStateOf(config: Pick<Services['config'], 'fingerprintKey'>, attempt: SignedAttempt, state: string): boolean {
  const [given, own] = [Buffer.from(state), Buffer.from(oauthState(config, attempt))];
  return given.length === own.length && timingSafeEqual(given, own);
}

/** The PKCE code verifier of an attempt. */
export function verifierOf(
  { vaultKeys }: Pick<Services['config'], 'vaultKeys'>,
  { id, verifier }: ConnectAttempt,
): string {
  return decryptSecret(parseKeyRing(vaultKeys), verifier, verifierContext(id));
}

function verifierContext(attemptId: string): string {
  return `connect:${attemptId}`;
}

/** The attempt of the parameter `state`. 400 for a state that was not issued here. */
export async function findAttempt(
  { prisma, config }: Pick<Services, 'prisma' | 'config'>,
  query: URLSearchParams,
): Promise<ConnectAttempt> {
  const [state = '', ...more] = query.getAll('state');
  const attempt =
    more.length === 0 && state.length <= 128
      ? await prisma.connectAttempt.findUnique({ where: { stateHash: hashOfState(state) } })
      : null;
  if (!attempt || !isStateOf(config, attempt, state)) throw invalid('state', 'is not one that was given out here');
  return attempt;
}

export const callbackPath = '/api/public/v1/processors/cardprocessor-connect/callback';
export const consentPath = '/api/public/v1/processors/cardprocessor-connect/consent';
export const testAuthorizePath = '/test/connect/authorize';
export const testTokenPath = '/test/connect/token';
export const testClientId = 'test';

/** The authorization server to which a merchant is sent, and the platform's client at it. */
export interface ConnectServer {
  server: oauth.AuthorizationServer & { authorization_endpoint: string; token_endpoint: string };
  clientId: string;
  /** Null for the platform's own test page, which accepts a public client. */
  clientSecret: string | null;
}

/** The configured server. Without one, test mode uses the platform's own test page, and live mode is rejected. */
export function connectServerOf(config: Services['config'], mode: string): ConnectServer {
  const { connect, publicUrl } = config;
  assertModeServed(config, mode as Mode); // a CHECK constraint limits the column to the two modes
  if (connect)
    return {
      server: serverAt(connect.authorizationUrl, connect.tokenUrl),
      clientId: connect.clientId,
      clientSecret: connect.clientSecret,
    };
  if (mode === 'test')
    return {
      server: serverAt(`${publicUrl}${testAuthorizePath}`, `${publicUrl}${testTokenPath}`),
      clientId: testClientId,
      clientSecret: null,
    };
  throw new Conflict(
    'connect_not_configured',
    'Connecting live processors is not set up on this platform (connect_not_configured).',
  );
}

/** The address to which the authorization server redirects the browser. */
export function redirectUriOf({ publicUrl }: Pick<Services['config'], 'publicUrl'>): string {
  return `${publicUrl}${callbackPath}`;
}

function serverAt(authorization_endpoint: string, token_endpoint: string): ConnectServer['server'] {
  return { issuer: new URL(authorization_endpoint).origin, authorization_endpoint, token_endpoint };
}

const stateLivesMs = 600_000;

/** Starts an attempt and returns the address of the page of consent, which leads to the processor's page. */
export async function initiateConnect(
  context: TenantContext,
  input: typeof InitiateConnectInput.$inferInput,
): Promise<{ url: string }> {
  const { services, actor } = context;
  const { id } = await write(context, 'initiateCardprocessorConnect', async (change) => {
    const {
      id: processorId,
      platformAccountId,
      partnerId,
      mode,
      type,
    } = await lockProcessor(context, change, input.processorId);
    if (type !== 'stripe') throw invalid('processorId', 'must name a processor whose type has OAuth: stripe');
    connectServerOf(services.config, mode);
    const attempt = {
      id: randomBase62(32),
      processorId,
      platformAccountId,
      partnerId,
      mode,
      expiresAt: new Date(change.now.getTime() + stateLivesMs),
    };
    const verifier = encryptSecret(
      parseKeyRing(services.config.vaultKeys),
      oauth.generateRandomCodeVerifier(),
      verifierContext(attempt.id),
    );
    const returnUrl = input.redirectUrl ?? input.returnUrl ?? null;
    await change.tx.connectAttempt.create({
      data: {
        ...attempt,
        stateHash: hashOfState(oauthState(services.config, attempt)),
        verifier,
        returnUrl,
        isFromOnboarding: input.isFromOnboarding ?? false,
        actorKind: actor.kind,
        actorId: actor.id,
        createdAt: change.now,
      },
    });
    change.audit({ action: 'initiateCardprocessorConnect', target: processorId });
    // The answer is stored for replay, and must not contain the state.
    return { id: attempt.id };
  });
  return consentAddress(services, { id });
}

/** The address of the page of consent for an attempt, as the call returns it. */
export async function consentAddress(services: Services, { id }: { id: string }): Promise<{ url: string }> {
  const attempt = await services.prisma.connectAttempt.findUniqueOrThrow({ where: { id } });
  const url = new URL(`${services.config.publicUrl}${consentPath}`);
  url.searchParams.set('state', oauthState(services.config, attempt));
  return { url: url.href };
}

/** The authorization page of the processor, to which the page of consent leads. */
async function authorizationUrl({ config }: Pick<Services, 'config'>, attempt: ConnectAttempt): Promise<string> {
  const { server, clientId } = connectServerOf(config, attempt.mode);
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    scope: 'read_write',
    redirect_uri: redirectUriOf(config),
    state: oauthState(config, attempt),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifierOf(config, attempt)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The partner and account that a merchant is about to connect to, as the page of consent shows them. */
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
  const isOver = attempt.usedAt !== null || attempt.expiresAt <= clock.earliest();
  return { attempt, partnerName: partner.name, brand: brandOf(partner), accountName: account.legalName, isOver };
}

/** The brand of the partner of an attempt. */
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

/** The cookie by which the callback recognizes the browser in which the merchant consented. */
export function consentCookieOf(config: Services['config'], attempt: ConnectAttempt): { name: string; value: string } {
  return { name: `connect_${attempt.id}`, value: signed(config, attempt, 'consented') };
}

/**
 * The address to which the merchant is redirected after the consent. 403 unless the form is that of the page in the
 * same browser.
 */
export async function giveConsent(
  { config }: Pick<Services, 'config'>,
  attempt: ConnectAttempt,
  { token, cookie }: { token: string; cookie: string },
): Promise<string> {
  if (cookie === '' || !isSame(token, formTokenOf(config, attempt, cookie))) throw consentMissing();
  return authorizationUrl({ config }, attempt);
}

/** Rejects a callback in another browser: a merchant who was sent past the page has not seen the consent. */
export function assertConsent(config: Services['config'], attempt: ConnectAttempt, cookie: string): void {
  if (!isSame(cookie, consentCookieOf(config, attempt).value)) throw consentMissing();
}

function consentMissing(): Forbidden {
  return new Forbidden('consent_missing', 'The connection was not confirmed in this browser (consent_missing).');
}

function signed({ fingerprintKey }: Services['config'], attempt: ConnectAttempt, purpose: string): string {
  const text = `connect-consent:${oauthState({ fingerprintKey }, attempt)}:${purpose}`;
  return createHmac('sha256', fingerprintKey).update(text).digest('base64url');
}

function isSame(given: string, right: string): boolean {
  const [left, other] = [Buffer.from(given), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
