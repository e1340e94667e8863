import { betterAuth } from 'better-auth';
import { jwt, twoFactor } from 'better-auth/plugins';
import type pg from 'pg';
import { randomBase62 } from '../../lib/ids.ts';
import type { Log } from '../../observability/log.ts';
import { passwordLengthMax, passwordLengthMin } from '../../ports/identity-provider.ts';
import { addressHeader, engineCookie, noteOutage, noteReset, throwingOutages, totpPeriodS } from './engine-calls.ts';

export interface EngineOptions {
  pool: pg.Pool;
  secret: string;
  /** The public URL of the platform, which is issuer, audience and authorized party of tokens. */
  publicUrl: string;
  allowedOrigins: readonly string[];
  log: Log;
}

/** Lifetime of a token. An ended session is rejected for longer than that. */
const tokenLifetimeS = 60;
/** Lifetime of a link to choose another password. */
const resetLifetimeS = 3_600;
const appName = 'Partner Payments Platform';
const sessionLifetimeS = 7 * 24 * 3_600;
const keyLifetimeS = 90 * 24 * 3_600;

const idPrefixes: Readonly<Record<string, string>> = { user: 'user_', session: 'sess_', account: 'cred_' };

/** The options of the engine. There is no sign-up, and nothing is cached that could outlive its session. */
export function engineOptions({ pool, secret, publicUrl, allowedOrigins, log }: EngineOptions) {
  const { name: cookiePrefix, options: defaultCookieAttributes } = engineCookie(publicUrl);
  return {
    appName,
    baseURL: publicUrl,
    basePath: '/idp',
    secret,
    database: pool,
    trustedOrigins: [...allowedOrigins],
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLengthMin,
      maxPasswordLength: passwordLengthMax,
      autoSignIn: false,
      resetPasswordTokenExpiresIn: resetLifetimeS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user: { email }, token }: { user: { email: string }; token: string }) =>
        noteReset({ email, token }),
    },
    // Links and challenges are stored as hashes, so that a copy of the database gives no access.
    verification: { storeIdentifier: 'hashed' as const },
    session: {
      expiresIn: sessionLifetimeS,
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
      // When a second factor was last verified, by the clock of the platform: the engine never sets it.
      additionalFields: { secondFactorAt: { type: 'date' as const, required: false, input: false } },
    },
    advanced: {
      cookiePrefix,
      // Its own prefix is `__Secure-`, with which another host of the same site could set a session.
      useSecureCookies: false,
      // Set by this process from the address of the connection, never by a client.
      ipAddress: { ipAddressHeaders: [addressHeader] },
      defaultCookieAttributes,
      // Identifiers have a prefix, as in the whole platform.
      database: { generateId: ({ model }: { model: string }) => `${idPrefixes[model] ?? ''}${randomBase62(24)}` },
    },
    // The routes count attempts in PostgreSQL; a counter of this process would count only its own.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // The engine logs a wrong password as an error, which is not relevant to an operator.
    logger: {
      level: 'error' as const,
      log(_level: string, message: string, ...details: unknown[]) {
        noteOutage(details);
        log.debug({ engine: message }, 'The engine of the identity provider logged a message.');
      },
    },
    plugins: [
      jwt({
        // A token is created on request, and not at every check of a session, since its signature takes milliseconds.
        disableSettingJwtHeader: true,
        jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 }, rotationInterval: keyLifetimeS },
        jwt: {
          issuer: publicUrl,
          audience: publicUrl,
          expirationTime: `${tokenLifetimeS}s`,
          definePayload: ({ session, user }) => ({
            sid: session.id,
            azp: new URL(publicUrl).origin,
            v: 2,
            sts: 'active',
            mfa: user['twoFactorEnabled'] === true,
            ...(session['secondFactorAt'] instanceof Date && { mfa_at: session['secondFactorAt'].getTime() / 1000 }),
          }),
        },
      }),
      // Secrets and backup codes are stored encrypted with `secret`.
      twoFactor({ issuer: appName, totpOptions: { digits: 6, period: totpPeriodS } }),
    ],
  };
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions) {
  const engine = betterAuth(engineOptions(options));
  return { ...engine, api: throwingOutages(engine.api) };
}
