import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { type Config, ConfigError, type ConnectConfig, type IdentityConfig, type MailConfig } from './config.ts';
import { localSecrets } from './local-secrets.ts';
import { clerkSettings, embeddedIdentitySettings, generalSettings, settingInfo, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type General = z.output<typeof generalSettings>;
type Identity = z.output<typeof embeddedIdentitySettings> | z.output<typeof clerkSettings>;

const defaultDir = resolve(import.meta.dirname, '..', '..', '.platform');

/** Reads every setting. An empty variable counts as absent, as `FOO= npm start` means it to. */
export function loadConfig(environment: Environment = process.env): Config {
  const env: Environment = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value?.trim() || undefined]),
  );
  const { general: given, identity } = parse(env);
  const isProduction = given.NODE_ENV === 'production';
  const port = given.PORT;
  const publicUrl = given.PUBLIC_URL ?? `http://localhost:${port}`;
  const platformDir = given.PLATFORM_DIR ?? defaultDir;
  const secrets = once(() => localSecrets(platformDir));
  // Every process of a production server must be given the same keys.
  const areKeysRequired = isProduction && given.DATABASE_URL !== undefined;
  if (areKeysRequired) requireKeys(given, ['VAULT_KEYS', 'FINGERPRINT_KEY']);
  return deepFreeze({
    // Outside production the demo's keys are known, so the server is reachable from this machine only by default.
    host: given.HOST ?? (isProduction ? '0.0.0.0' : '127.0.0.1'),
    port,
    publicUrl,
    isProduction,
    logLevel: given.LOG_LEVEL,
    databasePoolSize: given.DATABASE_POOL_SIZE,
    allowedOrigins: given.ALLOWED_ORIGINS ?? [...new Set([new URL(publicUrl).origin, `http://localhost:${port}`])],
    trustProxy: given.TRUST_PROXY,
    connectionsMax: given.CONNECTIONS_MAX,
    connectionsPerAddress: given.CONNECTIONS_PER_ADDRESS,
    graphqlIntrospection: given.GRAPHQL_INTROSPECTION ?? !isProduction,
    graphiql: given.GRAPHIQL ?? !isProduction,
    vaultKeys: given.VAULT_KEYS ?? secrets().vaultKeys,
    fingerprintKey: Buffer.from(given.FINGERPRINT_KEY ?? secrets().fingerprintKey, 'base64'),
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
        : { kind: 'server', url: given.DATABASE_URL },
  } satisfies Config);
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
  return { kind: 'embedded', secret: given.IDP_SECRET ?? localSecret() };
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
  if (protocol !== 'https:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
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
