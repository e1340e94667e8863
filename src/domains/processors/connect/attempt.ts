import { createHash, timingSafeEqual } from 'node:crypto';
import * as oauth from 'oauth4webapi';
import { assertModeServed } from '../../../auth/modes.ts';
import type { TenantContext } from '../../../call/context.ts';
import type { ConnectAttempt } from '../../../generated/prisma/client.ts';
import { keyedHash } from '../../../keys/derived-key.ts';
import { decryptSecret, encryptSecret, VaultFailure } from '../../../keys/envelope.ts';
import { parseKeyRing } from '../../../keys/key-ring.ts';
import { Conflict, Forbidden, invalid } from '../../../lib/errors.ts';
import { type Mode, randomBase62 } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { type Brand, brandOf } from '../../../theme/brand.ts';
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
async function findAttempt(
  { prisma, config }: Pick<Services, 'prisma' | 'config'>,
  query: URLSearchParams,
): Promise<ConnectAttempt> {
  const [state = '', ...more] = query.getAll('state');
  const attempt =
    more.length === 0 && state.length <= 128
      ? await prisma.connectAttempt.findUnique({ where: { stateHash: hashOfState(state) } })
      : null;
  if (!attempt || !isStateOf(config, attempt, state)) throw invalid('state', 'was not issued by this platform');
  return attempt;
}

export const callbackPath = '/api/public/v1/processors/cardprocessor-connect/callback';
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
    'Connecting live processors is not configured on this platform (connect_not_configured).',
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

/** Starts an attempt and returns the address of the processor's authorization page. */
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
    if (type !== 'stripe') throw invalid('processorId', 'must be a processor whose type supports OAuth: stripe');
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
  return authorizationAddress(services, { id });
}

/** The address of the processor's authorization page for an attempt, as the call returns it. */
export async function authorizationAddress(
  { prisma, config }: Pick<Services, 'prisma' | 'config'>,
  { id }: { id: string },
): Promise<{ url: string }> {
  const attempt = await prisma.connectAttempt.findUniqueOrThrow({ where: { id } });
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
  return { url: url.href };
}

/** An attempt with the partner and the account that a merchant is asked to connect to. */
export interface Consent {
  attempt: ConnectAttempt;
  partnerName: string;
  brand: Brand;
  accountName: string;
}

/** Reads what a merchant is asked to consent to. 400 for a state that was not issued here. */
export async function readConsent(services: Services, query: URLSearchParams): Promise<Consent> {
  const attempt = await findAttempt(services, query);
  const { prisma } = services;
  const [partner, account] = await Promise.all([
    prisma.partner.findUniqueOrThrow({ where: { id: attempt.partnerId } }),
    prisma.processingAccount.findUniqueOrThrow({ where: { id: attempt.platformAccountId } }),
  ]);
  return { attempt, partnerName: partner.name, brand: brandOf(partner), accountName: account.legalName };
}

/**
 * Encrypts the processor's answer for the form of consent, which returns it. It is bound to a cookie of the browser, so
 * that the form works neither from another site nor in another browser.
 */
export function sealAnswer(
  { vaultKeys }: Pick<Services['config'], 'vaultKeys'>,
  { id }: ConnectAttempt,
  cookie: string,
  answer: URLSearchParams,
): string {
  return encryptSecret(parseKeyRing(vaultKeys), answer.toString(), answerContext(id, cookie));
}

/** The processor's answer in a form. 403 unless the form was shown for this attempt to the browser with the cookie. */
export function openAnswer(
  { vaultKeys }: Pick<Services['config'], 'vaultKeys'>,
  { id }: ConnectAttempt,
  cookie: string,
  sealed: string,
): URLSearchParams {
  try {
    return new URLSearchParams(decryptSecret(parseKeyRing(vaultKeys), sealed, answerContext(id, cookie)));
  } catch (error) {
    if (!(error instanceof VaultFailure)) throw error;
    throw new Forbidden('consent_missing', 'This form was not shown to this browser (consent_missing).');
  }
}

function answerContext(attemptId: string, cookie: string): string {
  return `connect-answer:${attemptId}:${cookie}`;
}
