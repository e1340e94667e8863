import { hkdfSync } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { type Config, ConfigError, type ConnectConfig, type IdentityConfig, type MailConfig } from './config.ts';
import { localSecrets } from './local-secrets.ts';
import { clerkSettings, embeddedIdentitySettings, generalSettings, settingInfo, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type General = z.output<typeof generalSettings>;
type Identity = z.output<typeof embeddedIdentitySettings> | z.output<typeof clerkSettings>;

const defaultDir = resolve(import.meta.dirname, '..', '..', '.platform');

export interface LoadOptions {
  /** For a command that serves no clients: it needs no address of the platform, and the database's owner starts it. */
  isCommand?: boolean;
}

/** Reads every setting. An empty variable counts as absent, as `FOO= npm start` means it to. */
export function loadConfig(environment: Environment = process.env, options: LoadOptions = {}): Config {
  const env: Environment = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value?.trim() || undefined]),
  );
  const { general: given, identity } = parse(env);
  const isImplied = given.NODE_ENV === undefined && options.isCommand !== true && isReachable(given);
  try {
    return configOf(given, identity, { isProduction: isImplied || given.NODE_ENV === 'production', ...options });
  } catch (error) {
    if (!(error instanceof ConfigError) || !isImplied) throw error;
    throw new ConfigError(
      `${error.message}\nNODE_ENV is missing, and with DATABASE_URL or a HOST that others can reach that means ` +
        'production. On a development machine set NODE_ENV=development.',
    );
  }
}

/** Whether others than the developer could reach the server or its data, so that nothing may be open. */
function isReachable({ HOST, DATABASE_URL }: General): boolean {
  return DATABASE_URL !== undefined || (HOST !== undefined && !isLoopback(HOST));
}

function configOf(
  given: General,
  identity: Identity,
  { isProduction, isCommand = false }: LoadOptions & { isProduction: boolean },
): Config {
  const port = given.PORT;
  // Outside production the demo's keys are known, so the server is reachable from this machine only by default.
  const host = given.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1');
  if (isProduction && !isCommand) assertPublicUrl(given.PUBLIC_URL, host);
  const publicUrl = given.PUBLIC_URL ?? `http://localhost:${port}`;
  const platformDir = given.PLATFORM_DIR ?? defaultDir;
  const secrets = once(() => localSecrets(platformDir));
  // Every process of a production server must be given the same keys.
  const areKeysRequired = isProduction && given.DATABASE_URL !== undefined;
  const ownerUrl = ownerUrlOf(given);
  if (areKeysRequired) requireKeys(given, ['VAULT_KEYS', 'FINGERPRINT_KEY']);
  const allowedHosts = [
    new URL(publicUrl).hostname,
    ...(given.ALLOWED_HOSTS ?? []),
    ...(isProduction ? [] : ['localhost', '127.0.0.1', '[::1]']),
  ];
  const isLocal = !isProduction && isLoopback(host) && allowedHosts.every(isLoopback);
  const fingerprintKey = Buffer.from(given.FINGERPRINT_KEY ?? secrets().fingerprintKey, 'base64');
  return deepFreeze({
    host,
    port,
    publicUrl,
    isProduction,
    isLocal,
    sandbox: given.SANDBOX,
    logLevel: given.LOG_LEVEL,
    databasePoolSize: given.DATABASE_POOL_SIZE,
    allowedHosts,
    allowedOrigins: given.ALLOWED_ORIGINS ?? [
      ...new Set([new URL(publicUrl).origin, ...(isProduction ? [] : [`http://localhost:${port}`])]),
    ],
    metrics: {
      listener: given.METRICS_PORT === undefined ? null : { host: given.METRICS_HOST, port: given.METRICS_PORT },
      token: given.METRICS_TOKEN ?? null,
      isOpen: !isProduction && isLoopback(host) && given.METRICS_TOKEN === undefined,
    },
    trustProxy: given.TRUST_PROXY,
    connectionsMax: given.CONNECTIONS_MAX,
    connectionsPerAddress: given.CONNECTIONS_PER_ADDRESS,
    graphqlIntrospection: given.GRAPHQL_INTROSPECTION ?? !isProduction,
    graphiql: given.GRAPHIQL ?? isLocal,
    vaultKeys: given.VAULT_KEYS ?? secrets().vaultKeys,
    fingerprintKey,
    auditKeys: auditKeysOf(given.AUDIT_KEYS, fingerprintKey),
    auditAnchorFile: given.AUDIT_ANCHOR_FILE ?? null,
    processorTimeoutMs: given.PROCESSOR_TIMEOUT_MS,
    stripeApiBase: given.STRIPE_API_BASE,
    connect: connectOf(given),
    webhookAllowPrivate: given.WEBHOOK_ALLOW_PRIVATE,
    webhookKeepDays: given.WEBHOOK_KEEP_DAYS,
    platformDir,
    identity: identityOf(identity, { isProduction, areKeysRequired }, () => secrets().idpSecret),
    invitationRedirectUrl: given.INVITATION_REDIRECT_URL ?? `${publicUrl}/join`,
    mail: mailOf(given, platformDir),
    database:
      given.DATABASE_URL === undefined
        ? { kind: 'embedded', dir: join(platformDir, 'postgres'), password: secrets().databasePassword }
        : { kind: 'server', url: given.DATABASE_URL, ownerUrl },
  } satisfies Config);
}

/** Cookies are `Secure` with an https address only, and passwords and keys must not cross a network in the clear. */
function assertPublicUrl(given: string | undefined, host: string): void {
  if (given === undefined) {
    if (isLoopback(host)) return;
    throw new ConfigError(
      'PUBLIC_URL is missing; in production it must be the https URL at which clients reach the platform, such as ' +
        'https://payments.example.com.',
    );
  }
  const { protocol, hostname } = new URL(given);
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new ConfigError(
      `PUBLIC_URL is ${JSON.stringify(given)}; in production it must begin with https://, because sessions, keys and ` +
        'card numbers are sent there. Only an address of this machine may be http.',
    );
}

function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** All wrong settings are reported at once. Settings of the identity provider that is not used are not read. */
function parse(env: Environment): { general: General; identity: Identity } {
  const general = generalSettings.safeParse(env);
  const identity = (env['IDENTITY_PROVIDER'] === 'clerk' ? clerkSettings : embeddedIdentitySettings).safeParse(env);
  if (general.success && identity.success) return { general: general.data, identity: identity.data };
  const names = [...(general.error?.issues ?? []), ...(identity.error?.issues ?? [])].map(({ path }) =>
    String(path[0]),
  );
  throw new ConfigError(names.map((name) => sentenceOf(name, env[name])).join('\n'));
}

function sentenceOf(name: string, given: string | undefined): string {
  const schema = Object.entries(settings.shape).find(([known]) => known === name)?.[1];
  const info = schema && settingInfo.get(schema);
  // The sentence is logged, so a secret is not repeated in it.
  const shown = info?.isSecret ? 'not usable (the value is a secret and is not shown)' : JSON.stringify(given);
  return `${name} is ${given === undefined ? 'missing' : shown}; it must be ${info?.right}.`;
}

function requireKeys<Name extends string>(
  given: Readonly<Partial<Record<Name, string>>>,
  names: readonly Name[],
): void {
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length > 0) throw new ConfigError(missing.map((name) => sentenceOf(name, undefined)).join('\n'));
}

/** The key that is derived verifies what was written before `AUDIT_KEYS` was set. */
function auditKeysOf(given: string | undefined, fingerprintKey: Buffer): string {
  const derived = Buffer.from(hkdfSync('sha256', fingerprintKey, '', 'audit log', 32)).toString('base64');
  return [...(given === undefined ? [] : [given]), `derived:${derived}`].join(',');
}

/** Null if the server's role is to own the tables. */
function ownerUrlOf({ DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl }: General): string | null {
  if (ownerUrl === undefined) return null;
  if (url === undefined || new URL(url).username === '')
    throw new ConfigError('MIGRATION_DATABASE_URL is set; DATABASE_URL must then name the role of the server.');
  return ownerUrl;
}

function identityOf(
  given: Identity,
  { isProduction, areKeysRequired }: { isProduction: boolean; areKeysRequired: boolean },
  localSecret: () => string,
): IdentityConfig {
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
  if (isProduction && !given.IDP_EMBEDDED_IN_PRODUCTION)
    throw new ConfigError(
      'In production the embedded identity provider must be asked for: set IDP_EMBEDDED_IN_PRODUCTION=yes to ' +
        'keep the accounts of your staff in this database.',
    );
  if (areKeysRequired) requireKeys(given, ['IDP_SECRET']);
  return {
    kind: 'embedded',
    secret: given.IDP_SECRET ?? localSecret(),
    requiresSecondFactor: isProduction || given.IDP_REQUIRE_SECOND_FACTOR,
  };
}

/** Null when neither half of the client is set. The client secret is sent to the token URL, so that must be https. */
function connectOf(given: General): ConnectConfig | null {
  const { STRIPE_CONNECT_CLIENT_ID: clientId, STRIPE_CONNECT_CLIENT_SECRET: clientSecret } = given;
  if (clientId === undefined && clientSecret === undefined) return null;
  if (clientId === undefined || clientSecret === undefined)
    throw new ConfigError(
      'Of STRIPE_CONNECT_CLIENT_ID and STRIPE_CONNECT_CLIENT_SECRET one is set; connecting processors needs ' +
        'both, or neither.',
    );
  const { protocol, hostname } = new URL(given.STRIPE_CONNECT_TOKEN_URL);
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new ConfigError('STRIPE_CONNECT_TOKEN_URL must be an https address: the client secret and tokens go there.');
  return {
    clientId,
    clientSecret,
    authorizationUrl: given.STRIPE_CONNECT_AUTHORIZATION_URL,
    tokenUrl: given.STRIPE_CONNECT_TOKEN_URL,
  };
}

function mailOf({ SMTP_URL: url, MAIL_FROM: from }: General, platformDir: string): MailConfig {
  if (url === undefined && from === undefined) return { kind: 'kept', dir: join(platformDir, 'mail') };
  if (url === undefined)
    throw new ConfigError('MAIL_FROM is set and SMTP_URL is not; mail needs both, or neither to be kept as files.');
  if (from === undefined || !/^[^@\s]+@[^@\s]+$|<[^@\s]+@[^@\s]+>$/.test(from))
    throw new ConfigError(
      'MAIL_FROM must be the address mail is sent from, such as Payments <no-reply@example.com>, since ' +
        'SMTP_URL is set.',
    );
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
