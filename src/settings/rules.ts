import type { z } from 'zod';
import { editDistance } from '../lib/edit-distance.ts';
import { isLoopbackHost } from '../lib/network.ts';
import { secretSettings } from './secrets.ts';
import { settingInfo } from './setting-kinds.ts';
import { type clerkSettings, type embeddedIdentitySettings, type generalSettings, settings } from './settings.ts';
import { keySettings, type PlainKeys, readWrapped } from './wrapped-keys.ts';

export type General = z.output<typeof generalSettings>;
export type Identity = z.output<typeof embeddedIdentitySettings> | z.output<typeof clerkSettings>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The error of one setting, as a sentence for the operator. */
function problemOf(name: string, given: string | undefined): string {
  const schema = Object.entries(settings.shape).find(([known]) => known === name)?.[1];
  const info = schema && settingInfo.get(schema);
  // The sentence is logged, so it does not repeat a secret.
  const shown = info?.isSecret ? 'not usable (the value is a secret and is not shown)' : JSON.stringify(given);
  return `${name} is ${given === undefined ? 'missing' : shown}; it must be ${info?.right}.`;
}

/** Settings of earlier versions, with what takes their place. */
const gone: Readonly<Record<string, string>> = {
  ARCHIVE_DIR: 'old events are exported by SQL (docs/self-hosting/database.md, "Old events").',
  ARCHIVE_KEEP_MONTHS: 'old events are exported by SQL (docs/self-hosting/database.md, "Old events").',
};

/**
 * Variables that are no settings, but were, or have a name that is similar to one. Short names are excluded, since they
 * are similar to too many.
 */
export function misspelled(environment: Environment): string[] {
  const known = Object.keys(settings.shape).filter((name) => name.length >= 6);
  return Object.keys(environment).flatMap((name) => {
    if (name in settings.shape || environment[name] === undefined) return [];
    if (secretSettings.some((secret) => name === `${secret}_FILE`)) return [];
    if (name in gone) return [`${name} is no setting any more: ${gone[name]} Remove it.`];
    const meant = known.find((one) => editDistance(name.toUpperCase(), one) <= (one.length >= 15 ? 2 : 1));
    return meant === undefined ? [] : [`${name} is no setting; did you mean ${meant}? Correct it or remove it.`];
  });
}

export interface Circumstances {
  isProduction: boolean;
  isCommand: boolean;
  host: string;
  /** Whether the keys must be set, so that every process of a production server has the same. */
  areKeysRequired: boolean;
  /** Whether the keys must be given as a key management service wrapped them. */
  areKeysWrapped: boolean;
}

/** The errors of settings that are valid individually. */
export function problemsTogether(given: General, identity: Identity | undefined, where: Circumstances): string[] {
  const required = where.areKeysRequired ? (['VAULT_KEYS', 'FINGERPRINT_KEY'] as const) : [];
  return [
    where.isProduction && !where.isCommand ? publicUrlProblem(given.PUBLIC_URL, where.host) : undefined,
    ...required.map((name) => (given[name] === undefined ? problemOf(name, undefined) : undefined)),
    ...wrappingProblems(given, identity, where),
    regionProblem(given),
    ownerProblem(given),
    poolerProblem(given),
    replicaProblem(given),
    vaultDatabaseProblem(given),
    ...(identity === undefined ? [] : identityProblems(identity, where)),
    connectProblem(given),
    mailProblem(given),
  ].filter((problem) => problem !== undefined);
}

/** A key in clear would make a key management service useless, and a wrapped key is useless without the service. */
function wrappingProblems(
  given: General,
  identity: Identity | undefined,
  { areKeysWrapped }: Circumstances,
): (string | undefined)[] {
  const texts: PlainKeys = { ...given, ...identity };
  return keySettings.map((name) => {
    const text = texts[name];
    if (text === undefined || (readWrapped(text) !== undefined) === areKeysWrapped) return undefined;
    return areKeysWrapped
      ? `${name} is not wrapped, and VAULT_KMS_KEY_ID is set; wrap it with \`npm run keys -- wrap\`.`
      : `${name} is wrapped (kms:…); set VAULT_KMS_KEY_ID to the key that unwraps it.`;
  });
}

/** The region in the ARN of a key, or undefined. */
export function regionOf(keyId: string): string | undefined {
  return keyId.startsWith('arn:') ? keyId.split(':')[3] : undefined;
}

function regionProblem({ VAULT_KMS_KEY_ID: keyId, VAULT_KMS_REGION: region }: General): string | undefined {
  const own = keyId === undefined ? undefined : regionOf(keyId);
  return own === undefined || region === undefined || own === region
    ? undefined
    : `VAULT_KMS_KEY_ID is a key of ${own}, and VAULT_KMS_REGION is ${region}; a key is used in its own region.`;
}

/** Cookies are `Secure` with an https address only, and passwords and keys must not cross a network in the clear. */
function publicUrlProblem(given: string | undefined, host: string): string | undefined {
  if (given === undefined)
    return isLoopbackHost(host)
      ? undefined
      : 'PUBLIC_URL is missing; in production it must be the https URL at which clients reach the platform, such as ' +
          'https://payments.example.com.';
  const { protocol, hostname } = new URL(given);
  return protocol === 'https:' || isLoopbackHost(hostname)
    ? undefined
    : `PUBLIC_URL is ${JSON.stringify(given)}; in production it must begin with https://, because sessions, keys and ` +
        'card numbers are sent there. Only an address of this machine may be http.';
}

function ownerProblem({ DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl }: General): string | undefined {
  const isNamed = url !== undefined && new URL(url).username !== '';
  return ownerUrl === undefined || isNamed
    ? undefined
    : 'MIGRATION_DATABASE_URL is set; DATABASE_URL must then name the role of the server.';
}

function poolerProblem({ DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl }: General): string | undefined {
  if (directUrl === undefined) return undefined;
  if (url === undefined) return 'DATABASE_DIRECT_URL is set; DATABASE_URL must then lead to the pooler.';
  const [pooled, direct] = [new URL(url), new URL(directUrl)];
  if (pooled.username === direct.username && pooled.pathname === direct.pathname) return undefined;
  return 'DATABASE_DIRECT_URL and DATABASE_URL must name the same role and the same database.';
}

function replicaProblem({ DATABASE_URL: url, DATABASE_REPLICA_URL: replicaUrl }: General): string | undefined {
  if (replicaUrl === undefined) return undefined;
  if (url === undefined) return 'DATABASE_REPLICA_URL is set; DATABASE_URL must then lead to its primary.';
  const [primary, replica] = [new URL(url), new URL(replicaUrl)];
  if (primary.host === replica.host) return 'DATABASE_REPLICA_URL and DATABASE_URL must lead to two servers.';
  if (primary.pathname === replica.pathname) return undefined;
  return 'DATABASE_REPLICA_URL and DATABASE_URL must name the same database.';
}

function vaultDatabaseProblem({
  DATABASE_URL: url,
  VAULT_DATABASE_URL: vaultUrl,
  VAULT_MIGRATION_DATABASE_URL: ownerUrl,
}: General): string | undefined {
  if (vaultUrl === undefined)
    return ownerUrl === undefined
      ? undefined
      : 'VAULT_MIGRATION_DATABASE_URL is set; VAULT_DATABASE_URL must then name the role of the server.';
  if (url === undefined) return 'VAULT_DATABASE_URL is set; DATABASE_URL must then lead to the other database.';
  const [vault, main] = [new URL(vaultUrl), new URL(url)];
  if (ownerUrl !== undefined && vault.username === '')
    return 'VAULT_MIGRATION_DATABASE_URL is set; VAULT_DATABASE_URL must then name the role of the server.';
  return placeOf(vault) === placeOf(main)
    ? 'VAULT_DATABASE_URL and DATABASE_URL name the same database; the vault needs one of its own, or no setting.'
    : undefined;
}

/** The server and the database of a URL; 5432 is the port of PostgreSQL. */
function placeOf({ hostname, port, pathname }: URL): string {
  return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
}

function identityProblems(given: Identity, { isProduction, areKeysRequired }: Circumstances): (string | undefined)[] {
  if ('CLERK_ISSUER' in given) return [];
  return [
    isProduction && !given.IDP_EMBEDDED_IN_PRODUCTION
      ? 'In production the embedded identity provider must be asked for: set IDP_EMBEDDED_IN_PRODUCTION=yes to ' +
        'keep the accounts of your staff in this database.'
      : undefined,
    areKeysRequired && given.IDP_SECRET === undefined ? problemOf('IDP_SECRET', undefined) : undefined,
  ];
}

/** The client secret is sent to the token URL, so the URL must be https. */
function connectProblem(given: General): string | undefined {
  const { STRIPE_CONNECT_CLIENT_ID: clientId, STRIPE_CONNECT_CLIENT_SECRET: clientSecret } = given;
  if (clientId === undefined && clientSecret === undefined) return undefined;
  if (clientId === undefined || clientSecret === undefined)
    return (
      'Of STRIPE_CONNECT_CLIENT_ID and STRIPE_CONNECT_CLIENT_SECRET one is set; connecting processors needs ' +
      'both, or neither.'
    );
  const { protocol, hostname } = new URL(given.STRIPE_CONNECT_TOKEN_URL);
  return protocol === 'https:' || isLoopbackHost(hostname)
    ? undefined
    : 'STRIPE_CONNECT_TOKEN_URL must be an https address: the client secret and tokens go there.';
}

function mailProblem({ SMTP_URL: url, MAIL_FROM: from }: General): string | undefined {
  if (url === undefined)
    return from === undefined
      ? undefined
      : 'MAIL_FROM is set and SMTP_URL is not; mail needs both, or neither to be kept as files.';
  return from !== undefined && /^[^@\s]+@[^@\s]+$|<[^@\s]+@[^@\s]+>$/.test(from)
    ? undefined
    : 'MAIL_FROM must be the address mail is sent from, such as Payments <no-reply@example.com>, since ' +
        'SMTP_URL is set.';
}

export interface ReadSettings<Values> {
  /** Without the wrong ones; undefined if a required one is wrong. */
  values: Values | undefined;
  wrong: string[];
  problems: string[];
}

export function readSettings<Values>(schema: z.ZodType<Values>, env: Environment): ReadSettings<Values> {
  const all = schema.safeParse(env);
  if (all.success) return { values: all.data, wrong: [], problems: [] };
  const wrong = all.error.issues.map(({ path }) => String(path[0]));
  const others = Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.includes(name)));
  return { values: schema.safeParse(others).data, wrong, problems: wrong.map((name) => problemOf(name, env[name])) };
}
