import { betterAuth } from 'better-auth';
import { jwt } from 'better-auth/plugins';
import type pg from 'pg';
import { randomBase62 } from '../kit/ids.ts';
import type { Log } from '../kit/log.ts';

export interface EngineOptions {
  pool: pg.Pool;
  secret: string;
  /** Where browsers reach the platform; tokens name it as issuer, audience and authorized party. */
  publicUrl: string;
  allowedOrigins: readonly string[];
  log: Log;
}

/** A token lives this long; a session that ended is refused for longer than that. */
export const tokenLifetimeS = 60;
export const passwordLengthMin = 10;
export const passwordLengthMax = 128;
const sessionLifetimeS = 7 * 24 * 3_600;
const keyLifetimeS = 90 * 24 * 3_600;

const idPrefixes: Readonly<Record<string, string>> = { user: 'user_', session: 'sess_', account: 'cred_' };

/** What the engine is asked to do, and above all not to do: nobody signs up, and nothing is cached that could outlive its session. */
export function engineOptions({ pool, secret, publicUrl, allowedOrigins, log }: EngineOptions) {
  return {
    appName: 'Partner Payments Platform',
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
    },
    session: { expiresIn: sessionLifetimeS, disableSessionRefresh: true, cookieCache: { enabled: false } },
    advanced: {
      cookiePrefix: 'platform',
      useSecureCookies: publicUrl.startsWith('https:'),
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax' as const, path: '/' },
      // An identifier of ours says what it names, as everywhere.
      database: { generateId: ({ model }: { model: string }) => `${idPrefixes[model] ?? ''}${randomBase62(24)}` },
    },
    // The routes in front count attempts in PostgreSQL; a counter in this process would know only its own.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // The engine calls a wrong password an error, which is nothing for whoever runs the server.
    logger: {
      level: 'error' as const,
      log: (_level: string, message: string) =>
        log.debug({ engine: message }, "The identity provider's engine has something to say."),
    },
    plugins: [
      jwt({
        jwks: { keyPairConfig: { alg: 'RS256', modulusLength: 2048 }, rotationInterval: keyLifetimeS },
        jwt: {
          issuer: publicUrl,
          audience: publicUrl,
          expirationTime: `${tokenLifetimeS}s`,
          definePayload: ({ session }) => ({ sid: session.id, azp: new URL(publicUrl).origin, v: 2, sts: 'active' }),
        },
      }),
    ],
  };
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine(options: EngineOptions) {
  return betterAuth(engineOptions(options));
}
