import { z } from 'zod';
import {
  awsRegion,
  databaseUrl,
  file,
  httpUrl,
  key,
  keyRing,
  kmsKey,
  optional,
  wholeNumber,
  withDefault,
} from './setting-kinds.ts';

export const madeAtStart = 'generated at the first start, in `PLATFORM_DIR`';

/** The keys of stored data, and the service that wraps them. */
export const vaultSettings = z.object({
  VAULT_DATABASE_URL: optional(
    databaseUrl,
    'none: the cards are in the database of `DATABASE_URL`',
    'A second PostgreSQL database, for the encrypted cards alone, and a role of its own ' +
      '([Database](self-hosting/database.md#a-database-of-its-own-for-the-vault)). Requires `DATABASE_URL`.',
  ),
  VAULT_MIGRATION_DATABASE_URL: optional(
    databaseUrl,
    'none: `VAULT_DATABASE_URL` owns the table',
    'The same database as the role that owns the table of the cards; what `MIGRATION_DATABASE_URL` is to ' +
      '`DATABASE_URL`.',
  ),
  VAULT_KMS_KEY_ID: optional(
    kmsKey,
    'none: the keys are given as they are',
    'Key of AWS KMS that unwraps the keys at start. `VAULT_KEYS`, `FINGERPRINT_KEY` and `IDP_SECRET` are then required ' +
      'and given wrapped, `kms:…`, as is `AUDIT_KEYS` if it is set ([Keys](self-hosting/keys.md)).',
  ),
  VAULT_KMS_REGION: optional(
    awsRegion,
    'that of the ARN, or that of AWS, such as `AWS_REGION`',
    'Region of the key at AWS.',
  ),
  VAULT_KMS_ENDPOINT: optional(httpUrl, 'that of AWS for the region', 'URL of KMS, such as that of a VPC endpoint.'),
  VAULT_KMS_TIMEOUT_MS: withDefault(
    wholeNumber(100, 60_000),
    10_000,
    'Milliseconds that KMS may take for a key, with repetitions.',
  ),
  VAULT_KEYS: optional(
    keyRing,
    madeAtStart,
    "The vault's key ring; the first key encrypts, every key decrypts. Required in production with `DATABASE_URL`.",
  ),
  FINGERPRINT_KEY: optional(
    key,
    madeAtStart,
    'Key of card fingerprints; the keys of stored requests, checkout links and connections are derived from it. It ' +
      'must never change. Required in production with `DATABASE_URL`.',
  ),
  AUDIT_KEYS: optional(
    keyRing,
    'derived from `FINGERPRINT_KEY`',
    'Key ring of the audit log; the first key hashes new rows, every key verifies. The derived key goes on verifying.',
  ),
  AUDIT_ANCHOR_FILE: optional(
    file,
    'none; heads are logged only',
    'File to which the head of the audit log is appended every minute in which it changed, for ' +
      '`npm run audit:verify -- --anchor`.',
  ),
});

/** The settings of a command that only wraps keys. */
export const kmsSettings = vaultSettings.pick({
  VAULT_KMS_KEY_ID: true,
  VAULT_KMS_REGION: true,
  VAULT_KMS_ENDPOINT: true,
  VAULT_KMS_TIMEOUT_MS: true,
});
