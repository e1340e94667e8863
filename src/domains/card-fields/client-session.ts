import { createHash, timingSafeEqual } from 'node:crypto';
import { assertOpenToVisitors } from '../../auth/charging-status.ts';
import { noSuch, requireRow } from '../../auth/visible.ts';
import { type TenantContext, type VisitorRequest, visitorContext } from '../../call/context.ts';
import { constant, execute, sql } from '../../database/sql.ts';
import type { ClientSession } from '../../generated/prisma/client.ts';
import { keyedHash } from '../../keys/derived-key.ts';
import { Conflict, Gone, type InputIssue, InvalidInput, invalid } from '../../lib/errors.ts';
import { type Mode, newId } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import type { Config } from '../../settings/config.ts';
import { type Write, write } from '../../unit-of-work/write.ts';
import { assertNotDeleted } from '../customers/public.ts';
import { atStore } from '../stores/public.ts';
import type { CreateClientSessionInput } from './schema.ts';

/**
 * The secret of a client session, prefixed with the session's id. It is derived from the id with a key of the platform,
 * so that a repeat of the call that created the session returns it too, and only its hash is stored.
 */
export function clientSecretOf({ fingerprintKey }: Pick<Config, 'fingerprintKey'>, sessionId: string): string {
  return `${sessionId}_secret_${keyedHash(fingerprintKey, 'client-session', sessionId)}`;
}

function secretHashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** The id of the session in a client secret. Null if the text is not a client secret. */
function sessionIdIn(secret: string): string | null {
  return /^(cs_[0-9A-Za-z]{22})_secret_[0-9A-Za-z_-]{43}$/.exec(secret)?.[1] ?? null;
}

function isSecretOf({ secretHash }: { secretHash: string }, secret: string): boolean {
  return timingSafeEqual(Buffer.from(secretHash), Buffer.from(secretHashOf(secret)));
}

const originsMax = 10;
const form = 'must be an exact origin such as https://shop.example.com: scheme, host and port, without a path';

/** Validates the origins of the pages that may frame card fields. Reports every invalid one. */
function checkOrigins(given: readonly string[], mode: Mode): string[] {
  if (given.length < 1 || given.length > originsMax)
    throw new InvalidInput([{ path: 'origins', message: `must contain 1 to ${originsMax} origins` }]);
  const issues = given.flatMap((text, at): InputIssue[] => {
    const message = problemOf(text, mode);
    return message === null ? [] : [{ path: `origins[${at}]`, message }];
  });
  if (issues.length > 0) throw new InvalidInput(issues);
  return [...new Set(given)];
}

/** The host is more restricted than in a URL, since the text becomes part of a content security policy. */
function problemOf(text: string, mode: Mode): string | null {
  if (text.length > 300 || !/^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(text) || !URL.canParse(text)) return form;
  const { origin, protocol, hostname } = new URL(text);
  if (origin !== text) return `${form}; write ${origin}`;
  if (protocol === 'https:') return null;
  if (!isThisMachine(hostname)) return 'must be https: http is for localhost only';
  return mode === 'test' ? null : 'must be https in live mode';
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1';
}

const lifeMs = 30 * 60_000;

/** Creates a client session, which allows a merchant's page to use card fields for half an hour. */
export function createClientSession(
  context: TenantContext,
  { storeId, customerId = null, amount = null, currency = null, origins }: typeof CreateClientSessionInput.$inferInput,
): Promise<ClientSession> {
  const { tenant, services } = context;
  const allowed = checkOrigins(origins, tenant.mode);
  if ((amount === null) !== (currency === null)) throw missingOfPair(amount === null ? 'amount' : 'currency');
  return atStore(context, storeId, (store) => {
    if (currency !== null && !store.chargeCurrencies.includes(currency))
      throw invalid('currency', `must be one of the store's charge currencies: ${store.chargeCurrencies.join(', ')}`);
    return write(context, 'createClientSession', async ({ tx }) => {
      const { partnerId, platformAccountId, mode } = store;
      if (customerId !== null) {
        const customer = await requireRow(tx, 'customer', { id: customerId, partnerId, platformAccountId, mode });
        assertNotDeleted(customer);
        if (customer.storeId !== store.id) throw invalid('customerId', 'belongs to another store of the account');
      }
      // Card tokens expire in real time, and so does the session that creates one.
      const now = services.clock.real();
      const id = newId('cs_', now);
      return tx.clientSession.create({
        data: {
          id,
          partnerId,
          platformAccountId,
          mode,
          storeId: store.id,
          customerId,
          amount,
          currency,
          origins: allowed,
          secretHash: secretHashOf(clientSecretOf(services.config, id)),
          expiresAt: new Date(now.getTime() + lifeMs),
          createdAt: now,
        },
      });
    });
  });
}

function missingOfPair(path: 'amount' | 'currency'): InvalidInput {
  const issue: InputIssue = { path, message: 'is required: amount and currency are shown together' };
  return new InvalidInput([issue]);
}

/** A request of the fields' frame. Its body contains the secret. */
export interface FieldsRequest extends VisitorRequest {
  clientSecret: string;
}

/** The session of a client secret, and a caller to whom only its account is visible. */
export interface OpenSession {
  context: TenantContext;
  session: ClientSession;
  storeName: string;
}

/** 404 if there is no such session, 410 if it has expired, 403 if its partner or account may not charge. */
export async function openClientSession(
  services: Services,
  { clientSecret, ...from }: FieldsRequest,
): Promise<OpenSession> {
  const id = sessionIdIn(clientSecret);
  const found =
    id === null
      ? null
      : await services.prisma.clientSession.findUnique({
          where: { id },
          include: { store: { include: { account: { include: { partner: { select: { status: true } } } } } } },
        });
  if (!found || !isSecretOf(found, clientSecret)) throw noSuch('clientSession');
  const { store, ...session } = found;
  // This error has precedence over that of a used session.
  if (session.expiresAt <= services.clock.earliestReal())
    throw new Gone('The client session expired after 30 minutes.');
  assertOpenToVisitors(store.account);
  return { context: visitorContext(services, session, from), session, storeName: store.name };
}

export function usedSessionError(): Gone {
  return new Gone('The client session already created a token. Create another session for another card.');
}

const attemptsMax = 10;

/** Every submitted card counts, including rejected ones, so that someone with a leaked secret can try few numbers. */
export async function countSubmission({ pool }: Pick<Services, 'pool'>, { id }: ClientSession): Promise<void> {
  const counted = await execute(
    pool,
    sql`
      UPDATE client_sessions
      SET attempts = attempts + 1
      WHERE id = ${id} AND attempts < ${constant(attemptsMax)}`,
  );
  if (counted === 0) throw new Conflict('invalid_state', 'Too many card attempts in this client session.');
}

/** Of several concurrent attempts one completes the session. The others store nothing. */
export async function completeSession(
  { tx, now, earliest }: Write,
  { id }: ClientSession,
  { token, cardId }: { token: string; cardId: string },
): Promise<void> {
  const { count } = await tx.clientSession.updateMany({
    where: { id, token: null, expiresAt: { gt: earliest } },
    data: { token, cardId, completedAt: now },
  });
  if (count === 0) throw usedSessionError();
}
