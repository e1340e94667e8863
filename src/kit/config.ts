import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { type ConnectConfig, connectOf } from './connect-config.ts';
import { localSecrets } from './local-secrets.ts';

/** Everything an operator may set. Read once at start; nothing else in the code looks at the environment. */
export interface Config {
  host: string;
  port: number;
  /** Where clients reach us, without a slash at its end. */
  publicUrl: string;
  isProduction: boolean;
  logLevel: LogLevel;
  database: DatabaseConfig;
  databasePoolSize: number;
  allowedOrigins: readonly string[];
  /** Whom to believe about the client's address, in Express's terms: nobody, so many proxies, or the proxies at these addresses. */
  trustProxy: false | number | string[];
  graphqlIntrospection: boolean;
  graphiql: boolean;
  /** The vault's key ring as text, `id:base64,id:base64`; the first entry encrypts. */
  vaultKeys: string;
  fingerprintKey: Buffer;
  processorTimeoutMs: number;
  /** Where Stripe's API is; another address for a stand-in. */
  stripeApiBase: string;
  /** Null: processors are connected on a page of our own, in test mode alone. */
  connect: ConnectConfig | null;
  /** Whether webhooks may go to addresses of a private network; for a receiver on the developer's own machine. */
  webhookAllowPrivate: boolean;
  /** How long deliveries can be looked at and sent again after their event. */
  webhookKeepDays: number;
  /** Where a server of our own keeps its data, secrets and demo credentials. */
  platformDir: string;
  identity: IdentityConfig;
  /** Where an accepted invitation leads. */
  invitationRedirectUrl: string;
  mail: MailConfig;
}

export type IdentityConfig = EmbeddedIdentityConfig | ClerkIdentityConfig;

/** The embedded identity provider; the secret signs its cookies and its messages, and encrypts the private keys of its tokens. */
export interface EmbeddedIdentityConfig {
  kind: 'embedded';
  secret: string;
}

/** Clerk, as its dashboard shows it. */
export interface ClerkIdentityConfig {
  kind: 'clerk';
  apiUrl: string;
  secretKey: string;
  /** The public key of its tokens as PEM; null to fetch the keys. */
  jwtKey: string | null;
  issuer: string;
  /** The origins whose sessions are taken. */
  authorizedParties: readonly string[];
  webhookSecret: string;
}

export type MailConfig = { kind: 'smtp'; url: string; from: string } | { kind: 'kept'; dir: string };

export type DatabaseConfig = { kind: 'embedded'; dir: string; password: string } | { kind: 'server'; url: string };

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that stops the start. Its message is one sentence for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const root = join(import.meta.dirname, '..', '..');

export function loadConfig(env: Environment = process.env): Config {
  const read = readerOf(env);
  const isProduction = read.oneOf('NODE_ENV', ['development', 'test', 'production'], 'development') === 'production';
  const port = read.wholeNumber('PORT', 4000, 1, 65_535);
  const publicUrl = read.httpUrl('PUBLIC_URL', `http://localhost:${port}`);
  const databaseUrl = read.databaseUrl('DATABASE_URL');
  const platformDir = read.directory('PLATFORM_DIR', '.platform');
  // Keys of a production server belong to the operator, who must be able to give the same ones to every process.
  const keysGiven = isProduction && databaseUrl !== undefined;
  const secrets = once(() => localSecrets(platformDir));
  return deepFreeze({
    // Outside production the demo's keys open everything, so the server listens to this machine alone unless told otherwise.
    host: read.text('HOST', isProduction ? '0.0.0.0' : '127.0.0.1'),
    port,
    publicUrl,
    isProduction,
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    databasePoolSize: read.wholeNumber('DATABASE_POOL_SIZE', 10, 1, 200),
    allowedOrigins: read.origins('ALLOWED_ORIGINS', [
      ...new Set([new URL(publicUrl).origin, `http://localhost:${port}`]),
    ]),
    trustProxy: read.trustProxy('TRUST_PROXY'),
    graphqlIntrospection: read.yesNo('GRAPHQL_INTROSPECTION', !isProduction),
    graphiql: read.yesNo('GRAPHIQL', !isProduction),
    vaultKeys: read.keyRing('VAULT_KEYS', keysGiven) ?? secrets().vaultKeys,
    fingerprintKey: Buffer.from(read.key('FINGERPRINT_KEY', keysGiven) ?? secrets().fingerprintKey, 'base64'),
    processorTimeoutMs: read.wholeNumber('PROCESSOR_TIMEOUT_MS', 10_000, 100, 60_000),
    stripeApiBase: read.httpOrigin('STRIPE_API_BASE', 'https://api.stripe.com'),
    connect: connectOf(
      {
        clientId: read.text('STRIPE_CONNECT_CLIENT_ID', ''),
        clientSecret: read.text('STRIPE_CONNECT_CLIENT_SECRET', ''),
        authorizationUrl: read.httpUrl(
          'STRIPE_CONNECT_AUTHORIZATION_URL',
          'https://connect.stripe.com/oauth/authorize',
        ),
        tokenUrl: read.httpUrl('STRIPE_CONNECT_TOKEN_URL', 'https://connect.stripe.com/oauth/token'),
      },
      (sentence) => {
        throw new ConfigError(sentence);
      },
    ),
    webhookAllowPrivate: read.yesNo('WEBHOOK_ALLOW_PRIVATE', false),
    webhookKeepDays: read.wholeNumber('WEBHOOK_KEEP_DAYS', 30, 7, 3_650),
    platformDir,
    identity: identityOf(read, isProduction, () => read.key('IDP_SECRET', keysGiven) ?? secrets().idpSecret),
    invitationRedirectUrl: read.httpUrl('INVITATION_REDIRECT_URL', `${publicUrl}/join`),
    mail: mailOf(read, platformDir),
    database:
      databaseUrl === undefined
        ? { kind: 'embedded', dir: join(platformDir, 'postgres'), password: secrets().databasePassword }
        : { kind: 'server', url: databaseUrl },
  } satisfies Config);
}

function identityOf(read: ReturnType<typeof readerOf>, isProduction: boolean, secret: () => string): IdentityConfig {
  if (read.oneOf('IDENTITY_PROVIDER', ['embedded', 'clerk'], 'embedded') === 'clerk') return clerkOf(read);
  if (isProduction && !read.yesNo('IDP_EMBEDDED_IN_PRODUCTION', false)) {
    throw new ConfigError(
      'In production the embedded identity provider must be asked for: set IDP_EMBEDDED_IN_PRODUCTION=yes to keep the accounts of your staff in this database.',
    );
  }
  return { kind: 'embedded', secret: secret() };
}

/** Half of it is never taken for the embedded provider: people would sign in somewhere else than the operator believes. */
function clerkOf(read: ReturnType<typeof readerOf>): ClerkIdentityConfig {
  return {
    kind: 'clerk',
    apiUrl: read.httpUrl('CLERK_API_URL', 'https://api.clerk.com'),
    secretKey: read.secret(
      'CLERK_SECRET_KEY',
      /^sk_(test|live)_\S+$/,
      "the instance's secret key, which begins with sk_test_ or sk_live_, since IDENTITY_PROVIDER is clerk",
    ),
    jwtKey: read.publicKey('CLERK_JWT_KEY'),
    issuer: read.httpUrl('CLERK_ISSUER', ''),
    authorizedParties: read.origins('CLERK_AUTHORIZED_PARTIES', []),
    webhookSecret: read.secret(
      'CLERK_WEBHOOK_SIGNING_SECRET',
      /^whsec_[A-Za-z0-9+/]+={0,2}$/,
      "the webhook endpoint's signing secret, which begins with whsec_, since IDENTITY_PROVIDER is clerk",
    ),
  };
}

function mailOf(read: ReturnType<typeof readerOf>, platformDir: string): MailConfig {
  const url = read.smtpUrl('SMTP_URL');
  const from = read.text('MAIL_FROM', '');
  if (url === undefined && from === '') return { kind: 'kept', dir: join(platformDir, 'mail') };
  if (url === undefined)
    throw new ConfigError('MAIL_FROM is set and SMTP_URL is not; mail needs both, or neither to be kept as files.');
  if (!/^[^@\s]+@[^@\s]+$|<[^@\s]+@[^@\s]+>$/.test(from))
    throw new ConfigError(
      'MAIL_FROM must be the address mail is sent from, such as Payments <no-reply@example.com>, since SMTP_URL is set.',
    );
  return { kind: 'smtp', url, from };
}

/** The version in package.json, for logs and the API description. */
export function platformVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }; // our own file
  return version;
}

/** One function a kind of value. An empty variable counts as absent, as `FOO= npm start` means it to. */
function readerOf(env: Environment) {
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const fail = (name: string, right: string): never => {
    throw new ConfigError(`${name} is ${JSON.stringify(given(name)) ?? 'missing'}; it must be ${right}.`);
  };
  // What is given for a secret is never repeated: the sentence ends up in logs.
  const failSecret = (name: string, right: string): never => {
    throw new ConfigError(
      `${name} is ${given(name) === undefined ? 'missing' : 'not usable (what is given is not shown, since it is a secret)'}; it must be ${right}.`,
    );
  };
  return {
    text: (name: string, otherwise: string) => given(name) ?? otherwise,

    wholeNumber(name: string, otherwise: number, min: number, max: number): number {
      const text = given(name);
      if (text === undefined) return otherwise;
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : fail(name, `a whole number from ${min} to ${max}`);
    },

    oneOf<Choice extends string>(name: string, choices: readonly Choice[], otherwise: Choice): Choice {
      const text = given(name);
      if (text === undefined) return otherwise;
      return choices.find((choice) => choice === text) ?? fail(name, `one of ${choices.join(', ')}`);
    },

    yesNo(name: string, otherwise: boolean): boolean {
      const text = given(name);
      if (text === undefined) return otherwise;
      if (['true', '1', 'on', 'yes'].includes(text)) return true;
      return ['false', '0', 'off', 'no'].includes(text) ? false : fail(name, 'true or false');
    },

    httpUrl(name: string, otherwise: string): string {
      const text = given(name) ?? otherwise;
      const url = urlOf(text);
      const plain =
        url &&
        ['http:', 'https:'].includes(url.protocol) &&
        url.username === '' &&
        url.search === '' &&
        url.hash === '';
      return plain
        ? url.href.replace(/\/+$/, '')
        : fail(name, 'an http or https URL without user, query or fragment, such as https://payments.example.com');
    },

    httpOrigin(name: string, otherwise: string): string {
      const text = given(name) ?? otherwise;
      return /^https?:/.test(text) && urlOf(text)?.origin === text
        ? text
        : fail(name, 'an http or https address without a path, such as https://api.stripe.com');
    },
    databaseUrl(name: string): string | undefined {
      const text = given(name);
      if (text === undefined) return undefined;
      const url = urlOf(text);
      const usable = url && ['postgres:', 'postgresql:'].includes(url.protocol) && url.pathname.length > 1;
      return usable ? text : failSecret(name, 'a PostgreSQL URL such as postgresql://user:password@host:5432/platform');
    },

    smtpUrl(name: string): string | undefined {
      const text = given(name);
      if (text === undefined) return undefined;
      const url = urlOf(text);
      return url && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== ''
        ? text
        : failSecret(name, 'an SMTP URL such as smtps://user:password@mail.example.com:465');
    },

    origins(name: string, otherwise: readonly string[]): readonly string[] {
      const text = given(name);
      if (text === undefined && otherwise.length > 0) return otherwise;
      const entries = listOf(text ?? '');
      const usable = entries.every(
        (entry) => /^https?:$/.test(urlOf(entry)?.protocol ?? '') && urlOf(entry)?.origin === entry,
      );
      return usable && entries.length > 0
        ? entries
        : fail(name, 'origins separated by commas, each such as https://shop.example.com, without a path');
    },

    trustProxy(name: string): false | number | string[] {
      const text = given(name);
      if (text === undefined || text === 'false' || text === '0') return false;
      if (/^([1-9]|10)$/.test(text)) return Number(text);
      const entries = listOf(text);
      // "true" would believe any address a client writes into a header, so it is not among the choices.
      const usable = entries.every(
        (entry) => ['loopback', 'linklocal', 'uniquelocal'].includes(entry) || isAddress(entry),
      );
      return usable && entries.length > 0
        ? entries
        : fail(
            name,
            'the number of proxies in front (1 to 10), or their addresses or networks separated by commas, such as 10.0.0.0/8',
          );
    },

    directory(name: string, otherwise: string): string {
      const text = given(name) ?? otherwise;
      return isAbsolute(text) ? text : resolve(root, text);
    },

    key(name: string, required: boolean): string | undefined {
      const text = given(name);
      if (text === undefined && !required) return undefined;
      return text !== undefined && isKey(text)
        ? text
        : failSecret(name, '32 bytes in base64, as `openssl rand -base64 32` prints them');
    },

    secret(name: string, pattern: RegExp, right: string): string {
      const text = given(name);
      return text !== undefined && pattern.test(text) ? text : failSecret(name, right);
    },

    /** A PEM as dashboards show it, or on one line, as it often ends up in an environment. */
    publicKey(name: string): string | null {
      const text = given(name);
      if (text === undefined) return null;
      const key = publicKeyOf(text.replace(/-----[A-Z ]+-----|\\n|\s/g, ''));
      return key ?? failSecret(name, 'an RSA public key as PEM, beginning with -----BEGIN PUBLIC KEY-----');
    },

    keyRing(name: string, required: boolean): string | undefined {
      const text = given(name);
      if (text === undefined && !required) return undefined;
      const entries = listOf(text ?? '').map((entry) => entry.split(':'));
      const ids = new Set(entries.map(([id]) => id));
      const usable =
        entries.length > 0 &&
        ids.size === entries.length &&
        entries.every(
          ([id, key, ...more]) => /^[A-Za-z0-9_-]{1,32}$/.test(id ?? '') && isKey(key ?? '') && more.length === 0,
        );
      return usable
        ? text
        : failSecret(
            name,
            'id:key entries separated by commas, each key 32 bytes in base64 and each id used once, such as 2026a:<what `openssl rand -base64 32` prints>',
          );
    },
  };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Written out in full: a bare number is an address, too, to the library. */
function isAddress(text: string): boolean {
  return (
    /[.:]/.test(text) &&
    (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) || ipaddr.isValidCIDR(text))
  );
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** 43 characters and the padding: base64 of 32 bytes and of nothing else. */
function isKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(text);
}

function publicKeyOf(base64: string): string | null {
  try {
    const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'rsa' ? key.export({ type: 'spki', format: 'pem' }).toString() : null;
  } catch {
    return null;
  }
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
