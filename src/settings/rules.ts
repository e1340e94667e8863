import type { z } from 'zod';
import { editDistance } from '../lib/edit-distance.ts';
import { isLoopbackHost } from '../lib/network.ts';
import { secretSettings } from './secrets.ts';
import { settingInfo, type settings } from './settings.ts';
import { keySettings, readWrapped } from './wrapped-keys.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The message about one setting. It is logged, so it contains no secret. */
export function problemOf(name: string, given: string | undefined): string {
  const shown = settingInfo[name]?.secret
    ? 'not usable (the value is a secret and is not shown)'
    : JSON.stringify(given);
  return `${name} is ${given === undefined ? 'missing' : shown}; it must be ${settingInfo[name]?.right}.`;
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
  const known = Object.keys(settingInfo).filter((name) => name.length >= 6);
  return Object.keys(environment).flatMap((name) => {
    if (name in settingInfo || environment[name] === undefined) return [];
    if (secretSettings.some((secret) => name === `${secret}_FILE`)) return [];
    if (name in gone) return [`${name} is no longer a setting: ${gone[name]} Remove it.`];
    const meant = known.find((one) => editDistance(name.toUpperCase(), one) <= (one.length >= 15 ? 2 : 1));
    return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}? Correct it or remove it.`];
  });
}

export interface Circumstances {
  isProduction: boolean;
  isCommand: boolean;
  host: string;
  /** Whether the keys must be given as a key management service wrapped them. */
  areKeysWrapped: boolean;
}

/** The errors of settings that are valid individually. */
export function problemsTogether(given: Partial<z.output<typeof settings>>, where: Circumstances): string[] {
  const problems: string[] = [];
  const refuse = (problem: string): unknown => problems.push(problem);
  const isEmbedded = given.IDENTITY_PROVIDER !== 'clerk';
  const { isProduction, areKeysWrapped } = where;
  const isServed = isProduction && !where.isCommand;

  // Cookies are `Secure` with an https address only, and passwords and keys must not cross a network in the clear.
  if (isServed && given.PUBLIC_URL === undefined && !isLoopbackHost(where.host))
    refuse(
      'PUBLIC_URL is missing; in production it must be the https URL at which clients reach the platform, such as ' +
        'https://payments.example.com.',
    );
  if (isServed && !isSafe(given.PUBLIC_URL))
    refuse(
      `PUBLIC_URL is ${JSON.stringify(given.PUBLIC_URL)}; in production it must begin with https://, because sessions, ` +
        'keys and card numbers are sent there. Only an address of this machine may be http.',
    );

  // The platform serves http. Behind what ends TLS, every client would have one address, and one set of limits.
  const publicUrl = urlOf(given.PUBLIC_URL);
  if (
    isServed &&
    publicUrl?.protocol === 'https:' &&
    !isLoopbackHost(publicUrl.hostname) &&
    given.TRUST_PROXY === undefined
  )
    refuse(
      'TRUST_PROXY is missing; behind the proxy that serves the https address of PUBLIC_URL all clients would share the ' +
        'limits of one address. Set the number of proxies or their addresses, such as 1 or 10.0.0.0/8, or none to ' +
        'confirm that the addresses of connections are those of clients.',
    );

  if (isProduction && isEmbedded && !given.IDP_EMBEDDED_IN_PRODUCTION)
    refuse(
      'In production the embedded identity provider must be asked for: set IDP_EMBEDDED_IN_PRODUCTION=yes to ' +
        'keep the accounts of your staff in this database.',
    );

  // A key in clear would make a key management service useless, and a wrapped key is useless without the service.
  for (const name of keySettings) {
    const isWrapped = given[name] !== undefined && readWrapped(given[name]) !== undefined;
    if (given[name] !== undefined && areKeysWrapped && !isWrapped)
      refuse(`${name} is not wrapped, and VAULT_KMS_KEY_ID is set; wrap it with \`platform keys wrap\`.`);
    if (isWrapped && !areKeysWrapped)
      refuse(`${name} is wrapped (kms:…); set VAULT_KMS_KEY_ID to the key that unwraps it.`);
  }
  // Every process of a production server needs the same keys.
  if (given.VAULT_KMS_KEY_ID !== undefined || (isProduction && given.DATABASE_URL !== undefined))
    for (const name of ['VAULT_KEYS', 'FINGERPRINT_KEY', ...(isEmbedded ? (['IDP_SECRET'] as const) : [])] as const)
      if (given[name] === undefined) refuse(problemOf(name, undefined));
  const region = given.VAULT_KMS_KEY_ID && regionOf(given.VAULT_KMS_KEY_ID);
  if (region && given.VAULT_KMS_REGION && region !== given.VAULT_KMS_REGION)
    refuse(
      `VAULT_KMS_KEY_ID is a key of ${region}, and VAULT_KMS_REGION is ${given.VAULT_KMS_REGION}; a key is used in its ` +
        'own region.',
    );

  const main = urlOf(given.DATABASE_URL);
  const direct = urlOf(given.DATABASE_DIRECT_URL);
  const replica = urlOf(given.DATABASE_REPLICA_URL);
  const vault = urlOf(given.VAULT_DATABASE_URL);
  if (given.MIGRATION_DATABASE_URL && !main?.username)
    refuse('MIGRATION_DATABASE_URL is set; DATABASE_URL must then name the role of the server.');
  if (direct && !main) refuse('DATABASE_DIRECT_URL is set; DATABASE_URL must then lead to the pooler.');
  if (direct && main && (direct.username !== main.username || direct.pathname !== main.pathname))
    refuse('DATABASE_DIRECT_URL and DATABASE_URL must name the same role and the same database.');
  if (replica && !main) refuse('DATABASE_REPLICA_URL is set; DATABASE_URL must then lead to its primary.');
  if (replica && replica.host === main?.host) refuse('DATABASE_REPLICA_URL and DATABASE_URL must lead to two servers.');
  if (replica && main && replica.pathname !== main.pathname)
    refuse('DATABASE_REPLICA_URL and DATABASE_URL must name the same database.');
  if (given.VAULT_MIGRATION_DATABASE_URL && !vault?.username)
    refuse('VAULT_MIGRATION_DATABASE_URL is set; VAULT_DATABASE_URL must then name the role of the server.');
  if (vault && !main) refuse('VAULT_DATABASE_URL is set; DATABASE_URL must then lead to the other database.');
  if (vault && main && placeOf(vault) === placeOf(main))
    refuse(
      'VAULT_DATABASE_URL and DATABASE_URL name the same database; the vault needs one of its own, or no setting.',
    );

  const hasClient = given.STRIPE_CONNECT_CLIENT_ID !== undefined;
  if (hasClient !== (given.STRIPE_CONNECT_CLIENT_SECRET !== undefined))
    refuse(
      'Of STRIPE_CONNECT_CLIENT_ID and STRIPE_CONNECT_CLIENT_SECRET one is set; connecting processors needs ' +
        'both, or neither.',
    );
  else if (hasClient && !isSafe(given.STRIPE_CONNECT_TOKEN_URL))
    refuse('STRIPE_CONNECT_TOKEN_URL must be an https address: the client secret and tokens go there.');

  if (given.SMTP_URL === undefined && given.MAIL_FROM !== undefined)
    refuse('MAIL_FROM is set and SMTP_URL is not; mail needs both, or neither to be kept as files.');
  if (given.SMTP_URL !== undefined && !/^[^@\s]+@[^@\s]+$|<[^@\s]+@[^@\s]+>$/.test(given.MAIL_FROM ?? ''))
    refuse(
      'MAIL_FROM must be the address mail is sent from, such as Payments <no-reply@example.com>, since SMTP_URL is set.',
    );
  return problems;
}

/** The region in the ARN of a key, or undefined. */
export function regionOf(keyId: string): string | undefined {
  return keyId.startsWith('arn:') ? keyId.split(':')[3] : undefined;
}

function urlOf(given: string | undefined): URL | undefined {
  return given === undefined ? undefined : new URL(given);
}

function isSafe(given: string | undefined): boolean {
  const url = urlOf(given);
  return url === undefined || url.protocol === 'https:' || isLoopbackHost(url.hostname);
}

/** The server and the database of a URL; 5432 is the port of PostgreSQL. */
function placeOf({ hostname, port, pathname }: URL): string {
  return `${hostname}:${port || '5432'}${pathname}`;
}
