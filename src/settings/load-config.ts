import { hkdfSync } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { isLoopbackHost } from '../lib/network.ts';
import {
  type Config,
  ConfigError,
  type ConnectConfig,
  type IdentityConfig,
  type KmsConfig,
  type MailConfig,
} from './config.ts';
import {
  type Environment,
  type General,
  type Identity,
  misspelled,
  problemsTogether,
  readSettings,
  regionOf,
} from './rules.ts';
import { localSecrets, readSecretFiles } from './secrets.ts';
import { clerkSettings, embeddedIdentitySettings, generalSettings } from './settings.ts';
import { kmsSettings } from './vault-settings.ts';
import { type KeySetting, keySettings, type PlainKeys, readWrapped } from './wrapped-keys.ts';

/** Null if the keys are given in clear. */
function kmsOf(given: z.output<typeof kmsSettings>): KmsConfig | null {
  const { VAULT_KMS_KEY_ID: keyId, VAULT_KMS_REGION: region, VAULT_KMS_ENDPOINT: endpoint } = given;
  if (keyId === undefined) return null;
  return {
    keyId,
    region: region ?? regionOf(keyId) ?? null,
    endpoint: endpoint ?? null,
    timeoutMs: given.VAULT_KMS_TIMEOUT_MS,
  };
}

/**
 * The key management service of an environment, for a command that reads no other setting, or null. `keyId` replaces
 * the key of the setting.
 */
export function loadKms(environment: Environment, keyId?: string): KmsConfig | null {
  const { values, problems } = readSettings(kmsSettings, {
    ...environment,
    ...(keyId !== undefined && { VAULT_KMS_KEY_ID: keyId }),
    ...(keyId !== undefined && regionOf(keyId) && { VAULT_KMS_REGION: undefined }),
  });
  if (problems.length > 0 || !values) throw new ConfigError(problems.join('\n'));
  return kmsOf(values);
}

const defaultDir = resolve(import.meta.dirname, '..', '..', '.platform');

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
  const { given, identity, where } = readAll(environment, options);
  if (given.VAULT_KMS_KEY_ID !== undefined && !options.unwrapped)
    throw new Error('The keys are wrapped: openConfig unwraps them.');
  return configOf(given, identity, where);
}

/** The keys to unwrap by their setting, and the service for it; null if they are given in clear. */
export function wrappedKeysOf(
  environment: Environment,
  options: LoadOptions,
): { kms: KmsConfig; keys: [KeySetting, Buffer][] } | null {
  const { given, identity } = readAll(environment, options);
  const kms = kmsOf(given);
  if (kms === null) return null;
  const texts: PlainKeys = { ...given, ...identity };
  const keys = keySettings.flatMap((name): [KeySetting, Buffer][] => {
    const wrapped = readWrapped(texts[name] ?? '');
    return wrapped ? [[name, wrapped]] : [];
  });
  return { kms, keys };
}

interface AllSettings {
  given: General;
  identity: Identity;
  where: { isProduction: boolean; host: string };
}

function readAll(environment: Environment, { isCommand = false, unwrapped }: LoadOptions): AllSettings {
  const files = readSecretFiles(
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value?.trim() || undefined])),
  );
  const env: Environment = { ...files.env, ...unwrapped };
  const general = readSettings(generalSettings, env);
  // Settings of an identity provider that is not used are not read.
  const identity = readSettings<Identity>(
    env['IDENTITY_PROVIDER'] === 'clerk' ? clerkSettings : embeddedIdentitySettings,
    env,
  );
  const given = general.values;
  if (!given) throw new ConfigError(general.problems.join('\n')); // no general setting is required
  const isImplied = given.NODE_ENV === undefined && !isCommand && isReachable(given);
  const isProduction = isImplied || given.NODE_ENV === 'production';
  // Outside production the demo's keys are known, so by default only this machine can reach the server.
  const host = given.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1');
  const where = {
    isProduction,
    isCommand,
    host,
    areKeysRequired: given.VAULT_KMS_KEY_ID !== undefined || (isProduction && given.DATABASE_URL !== undefined),
    areKeysWrapped: given.VAULT_KMS_KEY_ID !== undefined && unwrapped === undefined,
  };
  const wrong = [...files.wrong, ...general.wrong, ...identity.wrong];
  const together = problemsTogether(given, identity.values, where).filter(
    // One message per setting is enough.
    (problem) => !wrong.some((name) => problem.includes(name)),
  );
  const problems = [...misspelled(env), ...files.problems, ...general.problems, ...identity.problems, ...together];
  if (isImplied && together.length > 0)
    problems.push(
      'NODE_ENV is missing, and with DATABASE_URL or a HOST that others can reach that means production. On a ' +
        'development machine set NODE_ENV=development.',
    );
  if (problems.length > 0 || !identity.values) throw new ConfigError(problems.join('\n'));
  return { given, identity: identity.values, where };
}

/** Whether other machines may reach the server or its data, so that nothing may be open. */
function isReachable({ HOST, DATABASE_URL }: General): boolean {
  return DATABASE_URL !== undefined || (HOST !== undefined && !isLoopbackHost(HOST));
}

function configOf(
  given: General,
  identity: Identity,
  { isProduction, host }: { isProduction: boolean; host: string },
): Config {
  const port = given.PORT;
  const publicUrl = given.PUBLIC_URL ?? `http://localhost:${port}`;
  const platformDir = given.PLATFORM_DIR ?? defaultDir;
  const secrets = once(() => localSecrets(platformDir));
  const allowedHosts = [
    new URL(publicUrl).hostname,
    ...(given.ALLOWED_HOSTS ?? []),
    ...(isProduction ? [] : ['localhost', '127.0.0.1', '[::1]']),
  ];
  const isLocal = !isProduction && isLoopbackHost(host) && allowedHosts.every(isLoopbackHost);
  const fingerprintKey = Buffer.from(given.FINGERPRINT_KEY ?? secrets().fingerprintKey, 'base64');
  return deepFreeze({
    host,
    port,
    publicUrl,
    isProduction,
    isLocal,
    sandbox: given.SANDBOX,
    cell: given.CELL ?? '',
    logLevel: given.LOG_LEVEL,
    logFormat: given.LOG_FORMAT ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    databasePoolSize: given.DATABASE_POOL_SIZE,
    vaultDatabase:
      given.VAULT_DATABASE_URL === undefined
        ? null
        : { url: given.VAULT_DATABASE_URL, ownerUrl: given.VAULT_MIGRATION_DATABASE_URL ?? null },
    allowNewerDatabase: given.ALLOW_NEWER_DATABASE,
    workers: given.WORKERS,
    allowedHosts,
    allowedOrigins: given.ALLOWED_ORIGINS ?? [
      ...new Set([new URL(publicUrl).origin, ...(isProduction ? [] : [`http://localhost:${port}`])]),
    ],
    metrics: {
      listener: given.METRICS_PORT === undefined ? null : { host: given.METRICS_HOST, port: given.METRICS_PORT },
      token: given.METRICS_TOKEN ?? null,
      isOpen: !isProduction && isLoopbackHost(host) && given.METRICS_TOKEN === undefined,
    },
    trustProxy: given.TRUST_PROXY,
    connectionsMax: given.CONNECTIONS_MAX,
    connectionsPerAddress: given.CONNECTIONS_PER_ADDRESS,
    graphqlIntrospection: given.GRAPHQL_INTROSPECTION ?? !isProduction,
    graphiql: given.GRAPHIQL ?? isLocal,
    docs: given.DOCS,
    kms: kmsOf(given),
    vaultKeys: given.VAULT_KEYS ?? secrets().vaultKeys,
    fingerprintKey,
    auditKeys: auditKeysOf(given.AUDIT_KEYS, fingerprintKey),
    auditAnchorFile: given.AUDIT_ANCHOR_FILE ?? null,
    processorTimeoutMs: given.PROCESSOR_TIMEOUT_MS,
    stripeApiBase: given.STRIPE_API_BASE,
    connect: connectOf(given),
    webhookAllowPrivate: given.WEBHOOK_ALLOW_PRIVATE,
    webhookKeepDays: given.WEBHOOK_KEEP_DAYS,
    tracing: given.OTEL_EXPORTER_OTLP_ENDPOINT
      ? { endpoint: given.OTEL_EXPORTER_OTLP_ENDPOINT, headers: given.OTEL_EXPORTER_OTLP_HEADERS ?? {} }
      : null,
    platformDir,
    identity: identityOf(identity, isProduction, () => secrets().idpSecret),
    invitationRedirectUrl: given.INVITATION_REDIRECT_URL ?? `${publicUrl}/join`,
    mail: mailOf(given, platformDir),
    database:
      given.DATABASE_URL === undefined
        ? { kind: 'embedded', dir: join(platformDir, 'postgres'), password: secrets().databasePassword }
        : {
            kind: 'server',
            url: given.DATABASE_URL,
            ownerUrl: given.MIGRATION_DATABASE_URL ?? null,
            directUrl: given.DATABASE_DIRECT_URL ?? null,
            replica: given.DATABASE_REPLICA_URL
              ? { url: given.DATABASE_REPLICA_URL, maxLagMs: given.DATABASE_REPLICA_MAX_LAG_MS }
              : null,
          },
  } satisfies Config);
}

/** The derived key verifies rows that were written before `AUDIT_KEYS` was set. */
function auditKeysOf(given: string | undefined, fingerprintKey: Buffer): string {
  const derived = Buffer.from(hkdfSync('sha256', fingerprintKey, '', 'audit log', 32)).toString('base64');
  return [...(given === undefined ? [] : [given]), `derived:${derived}`].join(',');
}

function identityOf(given: Identity, isProduction: boolean, localSecret: () => string): IdentityConfig {
  if ('CLERK_ISSUER' in given)
    return {
      kind: 'clerk',
      apiUrl: given.CLERK_API_URL,
      secretKey: given.CLERK_SECRET_KEY,
      jwtKey: given.CLERK_JWT_KEY ?? null,
      issuer: given.CLERK_ISSUER,
      authorizedParties: given.CLERK_AUTHORIZED_PARTIES,
      webhookSecret: given.CLERK_WEBHOOK_SIGNING_SECRET,
    };
  return {
    kind: 'embedded',
    secret: given.IDP_SECRET ?? localSecret(),
    requiresSecondFactor: isProduction || given.IDP_REQUIRE_SECOND_FACTOR,
  };
}

/** Null if the client is not set. */
function connectOf(given: General): ConnectConfig | null {
  const { STRIPE_CONNECT_CLIENT_ID: clientId, STRIPE_CONNECT_CLIENT_SECRET: clientSecret } = given;
  if (clientId === undefined || clientSecret === undefined) return null;
  return {
    clientId,
    clientSecret,
    authorizationUrl: given.STRIPE_CONNECT_AUTHORIZATION_URL,
    tokenUrl: given.STRIPE_CONNECT_TOKEN_URL,
  };
}

function mailOf({ SMTP_URL: url, MAIL_FROM: from }: General, platformDir: string): MailConfig {
  if (url === undefined || from === undefined) return { kind: 'kept', dir: join(platformDir, 'mail') };
  return { kind: 'smtp', url, from };
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null && !Buffer.isBuffer(part)) deepFreeze(part as object);
  return Object.freeze(value);
}
