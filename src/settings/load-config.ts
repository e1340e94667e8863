import { hkdfSync } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { isLoopbackHost } from '../lib/network.ts';
import { type Config, ConfigError, type KmsConfig } from './config.ts';
import { type Environment, misspelled, problemOf, problemsTogether, regionOf } from './rules.ts';
import { type LocalSecrets, localSecrets, readSecretFiles } from './secrets.ts';
import { settings, settingsWith } from './settings.ts';
import { keySettings, type PlainKeys, readWrapped } from './wrapped-keys.ts';

const kmsSettings = settings.pick({
  VAULT_KMS_KEY_ID: true,
  VAULT_KMS_REGION: true,
  VAULT_KMS_ENDPOINT: true,
  VAULT_KMS_TIMEOUT_MS: true,
});

/** Null if the keys are given in clear. */
function kmsOf(given: z.output<typeof kmsSettings>) {
  const { VAULT_KMS_KEY_ID: keyId, VAULT_KMS_REGION: region, VAULT_KMS_ENDPOINT: endpoint } = given;
  if (keyId === undefined) return null;
  return {
    keyId,
    /** Null to find it like every tool of AWS. */
    region: region ?? regionOf(keyId) ?? null,
    /** Null for the endpoint of the region. */
    endpoint: endpoint ?? null,
    timeoutMs: given.VAULT_KMS_TIMEOUT_MS,
  };
}

/**
 * The key management service of an environment, for a command that reads no other setting, or null. `keyId` replaces
 * the key of the setting.
 */
export function loadKms(environment: Environment, keyId?: string): KmsConfig | null {
  const env = {
    ...environment,
    ...(keyId !== undefined && { VAULT_KMS_KEY_ID: keyId }),
    ...(keyId !== undefined && regionOf(keyId) && { VAULT_KMS_REGION: undefined }),
  };
  const { data, error } = kmsSettings.safeParse(env);
  if (!data) throw new ConfigError([...problemsOf(error, env).values()].join('\n'));
  return kmsOf(data);
}

export interface LoadOptions {
  /** For a command that serves no clients: it needs no address of the platform, and the database's owner runs it. */
  isCommand?: boolean;
  /** The keys that were given wrapped, after a key management service has unwrapped them. */
  unwrapped?: PlainKeys;
}

/**
 * Reads every setting, and reports all that are wrong. An empty variable counts as absent, as in `FOO= npm start`. Keys
 * that are given wrapped must be passed in the options, which `openConfig` does.
 */
export function loadConfig(environment: Environment = process.env, options: LoadOptions = {}): Config {
  const { given, isProduction, host } = readAll(environment, options);
  if (given.VAULT_KMS_KEY_ID !== undefined && !options.unwrapped)
    throw new Error('The keys are wrapped: openConfig unwraps them.');
  return deepFreeze(configOf(given, isProduction, host));
}

/** The keys to unwrap by their setting, and the service for it; null if they are given in clear. */
export function wrappedKeysOf(environment: Environment, options: LoadOptions) {
  const { given } = readAll(environment, options);
  const kms = kmsOf(given);
  const texts: PlainKeys = given;
  const keys = keySettings.flatMap((name) => {
    const wrapped = readWrapped(texts[name] ?? '');
    return wrapped ? [[name, wrapped] as const] : [];
  });
  return kms && { kms, keys };
}

function readAll(environment: Environment, { isCommand = false, unwrapped }: LoadOptions) {
  const files = readSecretFiles(
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value?.trim() || undefined])),
  );
  const env: Environment = { ...files.env, ...unwrapped };
  const used = settingsWith(env['IDENTITY_PROVIDER']);
  const { data, error } = used.safeParse(env);
  const unusable = problemsOf(error, env);
  const isRight = ([name]: [string, unknown]): boolean => name in used.shape && !unusable.has(name);
  const right = settings.partial().parse(Object.fromEntries(Object.entries(env).filter(isRight)));
  // Whether other machines may reach the server or its data, so that nothing may be open.
  const isReachable = right.DATABASE_URL !== undefined || (right.HOST !== undefined && !isLoopbackHost(right.HOST));
  const isImplied = right.NODE_ENV === undefined && !isCommand && isReachable;
  const isProduction = isImplied || right.NODE_ENV === 'production';
  // Outside production the demo's keys are known, so by default only this machine can reach the server.
  const host = right.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1');
  const areKeysWrapped = right.VAULT_KMS_KEY_ID !== undefined && unwrapped === undefined;
  const wrong = new Map([...unusable, ...files.problems]);
  const together = problemsTogether(right, { isProduction, isCommand, host, areKeysWrapped }).filter(
    // One message per setting is enough.
    (problem) => ![...wrong.keys()].some((name) => problem.includes(name)),
  );
  const problems = [...misspelled(env), ...wrong.values(), ...together];
  if (isImplied && together.length > 0)
    problems.push(
      'NODE_ENV is missing, and with DATABASE_URL or a HOST that others can reach that means production. On a ' +
        'development machine set NODE_ENV=development.',
    );
  if (problems.length > 0 || !data) throw new ConfigError(problems.join('\n'));
  return { given: data, isProduction, host };
}

/** The messages by the setting that is wrong. */
function problemsOf(error: z.ZodError | undefined, env: Environment): Map<string, string> {
  const names = (error?.issues ?? []).map(({ path }) => String(path[0]));
  return new Map(names.map((name) => [name, problemOf(name, env[name])]));
}

export function configOf(given: z.output<ReturnType<typeof settingsWith>>, isProduction: boolean, host: string) {
  const requiresSecondFactor = isProduction || given.IDP_REQUIRE_SECOND_FACTOR;
  const port = given.PORT;
  const publicUrl = given.PUBLIC_URL ?? `http://localhost:${port}`;
  const platformDir = given.PLATFORM_DIR ?? resolve(import.meta.dirname, '..', '..', '.platform');
  let stored: LocalSecrets | undefined;
  const secrets = (): LocalSecrets => (stored ??= localSecrets(platformDir));
  const allowedHosts = [
    new URL(publicUrl).hostname,
    ...(given.ALLOWED_HOSTS ?? []),
    ...(isProduction ? [] : ['localhost', '127.0.0.1', '[::1]']),
  ];
  const isLocal = !isProduction && isLoopbackHost(host) && allowedHosts.every(isLoopbackHost);
  const fingerprintKey = Buffer.from(given.FINGERPRINT_KEY ?? secrets().fingerprintKey, 'base64');
  const derivedKey = Buffer.from(hkdfSync('sha256', fingerprintKey, '', 'audit log', 32)).toString('base64');
  return {
    host,
    port,
    /** The URL at which clients reach the platform, without a slash at the end. */
    publicUrl,
    isProduction,
    /**
     * Whether this is a development server that only its own machine can reach: it shows stored mail, GraphiQL and the
     * keys of the demo.
     */
    isLocal,
    sandbox: given.SANDBOX,
    /** The URL of the sandbox, without a slash at the end. Null if there is none, and in the sandbox itself. */
    sandboxUrl: given.SANDBOX ? null : (given.SANDBOX_URL ?? null),
    /** The tag of this cell in its keys; '' for the cell without one. */
    cell: given.CELL ?? '',
    logLevel: given.LOG_LEVEL,
    /** The commit of the sources where the settings name it, as those of the image do. */
    commit: given.PLATFORM_COMMIT ?? null,
    logFormat: given.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    database:
      given.DATABASE_URL === undefined
        ? { kind: 'embedded' as const, dir: join(platformDir, 'postgres'), password: secrets().databasePassword }
        : {
            kind: 'server' as const,
            url: given.DATABASE_URL,
            ownerUrl: given.MIGRATION_DATABASE_URL ?? null,
            /** Set if `url` is that of a pooler: the same database and role, without the pooler. */
            directUrl: given.DATABASE_DIRECT_URL ?? null,
            replica: given.DATABASE_REPLICA_URL
              ? { url: given.DATABASE_REPLICA_URL, maxLagMs: given.DATABASE_REPLICA_MAX_LAG_MS }
              : null,
          },
    databasePoolSize: given.DATABASE_POOL_SIZE,
    /** Null if the cards are in the main database. */
    vaultDatabase: given.VAULT_DATABASE_URL
      ? { url: given.VAULT_DATABASE_URL, ownerUrl: given.VAULT_MIGRATION_DATABASE_URL ?? null }
      : null,
    allowNewerDatabase: given.ALLOW_NEWER_DATABASE,
    workers: given.WORKERS,
    /** In lower case. */
    allowedHosts,
    allowedOrigins: given.ALLOWED_ORIGINS ?? [
      ...new Set([new URL(publicUrl).origin, ...(isProduction ? [] : [`http://localhost:${port}`])]),
    ],
    metrics: {
      /** A separate port, which requires no token. */
      listener: given.METRICS_PORT === undefined ? null : { host: given.METRICS_HOST, port: given.METRICS_PORT },
      token: given.METRICS_TOKEN ?? null,
      /** Whether the platform's port serves them without a token. */
      isOpen: !isProduction && isLoopbackHost(host) && given.METRICS_TOKEN === undefined,
    },
    /** In the form of Express: no proxy, the number of proxies, or their addresses. */
    trustProxy: given.TRUST_PROXY ?? false,
    connectionsMax: given.CONNECTIONS_MAX,
    connectionsPerAddress: given.CONNECTIONS_PER_ADDRESS,
    stopDelayMs: given.STOP_DELAY_MS,
    graphqlIntrospection: given.GRAPHQL_INTROSPECTION ?? !isProduction,
    graphiql: given.GRAPHIQL ?? isLocal,
    docs: given.DOCS,
    /** The key management service that has unwrapped the keys below, or null if they were given in clear. */
    kms: kmsOf(given),
    /** The vault's key ring as text, `id:base64,id:base64`; the first entry encrypts. */
    vaultKeys: given.VAULT_KEYS ?? secrets().vaultKeys,
    fingerprintKey,
    /** In the form of the vault's. The derived key verifies rows that were written before `AUDIT_KEYS` was set. */
    auditKeys: [...(given.AUDIT_KEYS === undefined ? [] : [given.AUDIT_KEYS]), `derived:${derivedKey}`].join(','),
    auditAnchorFile: given.AUDIT_ANCHOR_FILE ?? null,
    processorTimeoutMs: given.PROCESSOR_TIMEOUT_MS,
    stripeApiBase: given.STRIPE_API_BASE,
    /** Null if processors are connected on a page of the platform, in test mode only. */
    connect:
      given.STRIPE_CONNECT_CLIENT_ID && given.STRIPE_CONNECT_CLIENT_SECRET
        ? {
            clientId: given.STRIPE_CONNECT_CLIENT_ID,
            clientSecret: given.STRIPE_CONNECT_CLIENT_SECRET,
            authorizationUrl: given.STRIPE_CONNECT_AUTHORIZATION_URL,
            tokenUrl: given.STRIPE_CONNECT_TOKEN_URL,
          }
        : null,
    webhookAllowPrivate: given.WEBHOOK_ALLOW_PRIVATE,
    webhookKeepDays: given.WEBHOOK_KEEP_DAYS,
    tracing: given.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT, headers: given.OTEL_EXPORTER_OTLP_HEADERS ?? {} }
      : null,
    platformDir,
    identity:
      'CLERK_ISSUER' in given
        ? {
            kind: 'clerk' as const,
            apiUrl: given.CLERK_API_URL,
            secretKey: given.CLERK_SECRET_KEY,
            /** The public key of its tokens as PEM; null to fetch the keys. */
            jwtKey: given.CLERK_JWT_KEY ?? null,
            issuer: given.CLERK_ISSUER,
            publishableKey: given.CLERK_PUBLISHABLE_KEY ?? publishableKeyOf(given.CLERK_ISSUER, given.CLERK_SECRET_KEY),
            accountPortalUrl:
              given.CLERK_ACCOUNT_PORTAL_URL ?? given.CLERK_ISSUER.replace(/clerk\.(accounts\.)?/, 'accounts.'),
            authorizedParties: given.CLERK_AUTHORIZED_PARTIES,
            webhookSecret: given.CLERK_WEBHOOK_SIGNING_SECRET,
            requiresSecondFactor,
          }
        : {
            kind: 'embedded' as const,
            secret: given.IDP_SECRET ?? secrets().idpSecret,
            requiresSecondFactor,
          },
    invitationRedirectUrl: given.INVITATION_REDIRECT_URL ?? `${publicUrl}/join`,
    mail:
      given.SMTP_URL && given.MAIL_FROM
        ? { kind: 'smtp' as const, url: given.SMTP_URL, from: given.MAIL_FROM }
        : { kind: 'kept' as const, dir: join(platformDir, 'mail') },
  };
}

/** The publishable key as Clerk makes it: the host of the frontend API and `$` in base64 without padding. */
function publishableKeyOf(issuer: string, secretKey: string): string {
  const kind = secretKey.startsWith('sk_live_') ? 'live' : 'test';
  return `pk_${kind}_${Buffer.from(`${new URL(issuer).host}$`)
    .toString('base64')
    .replace(/=+$/, '')}`;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part as object);
  return Object.freeze(value);
}
