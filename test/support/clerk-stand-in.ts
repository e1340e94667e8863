import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Webhook } from 'standardwebhooks';
import { type EmbeddedIdp, openEmbeddedIdp } from '../../src/adapters/embedded-idp/embedded-idp.ts';
import { makeTables } from '../../src/adapters/embedded-idp/tables.ts';
import type { SignedMessage } from '../../src/adapters/embedded-idp/webhook.ts';
import { openPool } from '../../src/database/pool.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import { type ClerkPages, createClerkPages } from './clerk-pages.ts';
import { ClerkRefusal, type ClerkRequest, createClerkRoutes } from './clerk-routes.ts';
import { eventJson, type Row } from './clerk-wire.ts';

/** The version of the API that the vendor's client requests. */
export const clerkApiVersion = '2026-05-12';

/**
 * Implements Clerk's wire format locally, with real state behind it: the embedded provider's, in the schema `idp` of a
 * database. It rejects any wrong request of the vendor's client, and answers in the exact shapes that client reads.
 */
export interface ClerkStandIn {
  url: string;
  /** The configuration of a platform that uses it. */
  env: Record<string, string>;
  /** The provider behind it: users, organizations and invitations are created there. */
  idp: EmbeddedIdp;
  /** Every request received, as sent over the wire. */
  requests: RecordedRequest[];
  /** Replaces the answer of a request by an error, `before` it is executed or `after` it. */
  interfere(
    fate: ((request: RecordedRequest) => { when: 'before' | 'after'; refusal: ClerkRefusal } | null) | null,
  ): void;
  /** Delivers messages to this function from now on; until then they wait. */
  deliverTo(take: (message: SignedMessage) => Promise<void>): void;
  openSession(
    email: string,
    claims?: JWTPayload,
  ): Promise<{ cookie: string; bearer: string; sessionId: string; userId: string }>;
  /** A token of a session, valid for an hour. */
  signToken(session: { id: string; userId: string }, claims?: JWTPayload): Promise<string>;
  close(): Promise<void>;
}

interface WireAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

interface RecordedRequest {
  method: string;
  path: string;
  query: string;
  body: unknown;
  headers: IncomingMessage['headers'];
}

export async function startClerkStandIn(
  databaseUrl: string,
  clock: Clock = systemClock,
  instance: 'production' | 'development' = 'production',
): Promise<ClerkStandIn> {
  const isDevelopment = instance === 'development';
  const kind = isDevelopment ? 'test' : 'live';
  const secretKey = `sk_${kind}_${randomBytes(24).toString('hex')}`;
  const webhookSecret = `whsec_${randomBytes(24).toString('base64')}`;
  const ownUrl = 'https://clerk.stand-in.example.com';
  const party = 'https://app.example.com';
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'ins_stand_in', alg: 'RS256', use: 'sig' }];
  const requests: RecordedRequest[] = [];
  let fateOf: Parameters<ClerkStandIn['interfere']>[0] = null;
  let take: (message: SignedMessage) => Promise<void> = () => Promise.reject(new Error('There is no listener yet.'));
  const settings = {
    publicUrl: ownUrl,
    allowedOrigins: [ownUrl],
    secret: randomBytes(32).toString('base64'),
    log: createLog({ level: 'silent' }),
    clock,
  };
  await makeTables(databaseUrl, settings);
  const idp = await openEmbeddedIdp({
    ...settings,
    databaseUrl,
    deliver: async ({ headers, body }) => {
      const event = eventJson(JSON.parse(body) as { type: string; at: string; data: Row }); // as the outbox writes it
      if (event) await take(sign(webhookSecret, headers['svix-id'] ?? '', event));
    },
  });
  const pool = openPool({ connectionString: databaseUrl, max: 4, options: '-c search_path=idp' });
  let pages: ClerkPages;
  const routes = createClerkRoutes({ pool, idp, jwks: { keys }, pages: () => pages });

  async function answer(request: IncomingMessage): Promise<WireAnswer> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const text = await textOf(request);
    const requested: ClerkRequest = {
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      body: text === '' ? null : JSON.parse(text),
    };
    const recorded = { ...requested, query: searchParams.toString(), headers: request.headers };
    requests.push(recorded);
    assertCredentials(request, secretKey);
    const fate = fateOf?.(recorded);
    if (fate?.when === 'before') throw fate.refusal;
    const body = await routes(requested);
    if (fate) throw fate.refusal;
    return { status: 200, body };
  }

  const server = createServer((request, response) => {
    pages
      .answer(request, response, () => textOf(request))
      .then(async (isAnswered) => {
        if (isAnswered) return;
        const { status, body, headers } = await answer(request).catch(refusalOf);
        sendExactly(response, status, body, headers);
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP

  async function storeSession(email: string): Promise<{ id: string; userId: string }> {
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM "user" WHERE lower(email) = lower($1) AND NOT banned',
      [email],
    );
    const userId = rows[0]?.id;
    if (userId === undefined) throw new Error(`No user signs in as ${email}.`);
    const id = `sess_${randomBytes(12).toString('hex')}`;
    await pool.query(
      `INSERT INTO session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
        VALUES ($1, $1, $2, now() + interval '7 days', now(), now())`,
      [id, userId],
    );
    return { id, userId };
  }

  function signToken({ id, userId }: { id: string; userId: string }, claims: JWTPayload = {}): Promise<string> {
    const nowS = Math.floor(Date.now() / 1000);
    return new SignJWT({
      iss: url,
      azp: party,
      sub: userId,
      sid: id,
      v: 2,
      sts: 'active',
      fva: [0, -1],
      nbf: nowS - 10,
      iat: nowS,
      exp: nowS + 3_600,
      ...claims,
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'ins_stand_in', typ: 'JWT' })
      .sign(privateKey);
  }

  pages = createClerkPages({
    url,
    isDevelopment,
    publishableKey: `pk_${kind}_${Buffer.from(`${new URL(url).host}$`)
      .toString('base64')
      .replaceAll('=', '')}`,
    openSession: storeSession,
    async findSession(id) {
      const { rows } = await pool.query<{ id: string; userId: string }>(
        'SELECT id, "userId" FROM session WHERE id = $1',
        [id],
      );
      return rows[0] ?? null;
    },
    // Its pages ask for a second factor.
    tokenOf: (session, azp) => signToken(session, { azp, fva: [0, 0], exp: Math.floor(Date.now() / 1000) + 60 }),
  });

  return {
    url,
    idp,
    requests,
    env: {
      IDENTITY_PROVIDER: 'clerk',
      CLERK_API_URL: url,
      CLERK_SECRET_KEY: secretKey,
      CLERK_ISSUER: url,
      CLERK_ACCOUNT_PORTAL_URL: url,
      CLERK_AUTHORIZED_PARTIES: party,
      CLERK_WEBHOOK_SIGNING_SECRET: webhookSecret,
      CLERK_JWT_KEY: (await exportSPKI(publicKey)).replaceAll('\n', '\\n'),
    },
    interfere: (fate) => void (fateOf = fate),
    deliverTo: (taker) => void (take = taker),
    signToken,
    async openSession(email, claims) {
      const { id: sessionId, userId } = await storeSession(email);
      // Clerk's tokens are valid for a minute; those of tests, which are not renewed, for an hour.
      const bearer = await signToken({ id: sessionId, userId }, claims);
      const uat = Math.floor(Date.now() / 1000);
      return { cookie: `__client_uat=${uat}; __session=${bearer}`, bearer, sessionId, userId };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await idp.close();
      await pool.end();
    },
  };
}

/** Signs a message as its sender does: over id, time and bytes. */
function sign(secret: string, id: string, event: Row): SignedMessage {
  const body = JSON.stringify(event);
  const now = new Date();
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': String(Math.floor(now.getTime() / 1000)),
      'svix-signature': new Webhook(secret).sign(id, now, body),
    },
  };
}

function assertCredentials({ headers }: IncomingMessage, secretKey: string): void {
  if (headers.authorization !== `Bearer ${secretKey}`)
    throw new ClerkRefusal(401, 'authentication_invalid', 'Invalid authentication');
  if (headers['clerk-api-version'] !== clerkApiVersion)
    throw new ClerkRefusal(400, 'api_version_invalid', 'Unknown API version');
  if (headers['content-type'] !== 'application/json')
    throw new ClerkRefusal(415, 'unsupported_content_type', 'Content-Type must be application/json');
  if (!(headers['user-agent'] ?? '').startsWith('@clerk/backend@'))
    throw new ClerkRefusal(400, 'user_agent_missing', 'No user agent');
}

function refusalOf(error: unknown): WireAnswer {
  const { status, code, message, headers } =
    error instanceof ClerkRefusal ? error : new ClerkRefusal(500, 'internal_clerk_error', String(error));
  return {
    status,
    headers,
    body: { errors: [{ code, message, long_message: message, meta: {} }], clerk_trace_id: 'trace_1' },
  };
}

/** The client parses JSON under exactly this content type only. */
function sendExactly(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
  return Buffer.concat(chunks).toString();
}
