import { sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import type { AuditedChange } from './audited-change.ts';

/**
 * The user as the provider has them now, locked until the transaction ends. Roles are written as a whole: two writers
 * that read the same roles would lose one of the changes.
 */
export async function lockUserById(
  { tx }: AuditedChange,
  { identityProvider }: Services,
  userId: string,
): Promise<IdpUser | null> {
  const found = await identityProvider.getUser(userId);
  if (!found) return null;
  await lockEmail(tx, found.email);
  return identityProvider.getUser(userId);
}

/** The user of an e-mail address; null without an account. The address is locked in both cases. */
export async function lockUserByEmail(
  { tx }: AuditedChange,
  { identityProvider }: Services,
  email: string,
): Promise<IdpUser | null> {
  await lockEmail(tx, email);
  return identityProvider.findUserByEmail(email);
}

/** Locks a user until the transaction ends, by e-mail address, since an invited user may have no account yet. */
export function lockEmail(tx: Prisma.TransactionClient, email: string): Promise<void> {
  return lockName(tx, `person:${email.toLowerCase()}`);
}

/** Takes an advisory lock until the transaction ends. */
export async function lockName(tx: Prisma.TransactionClient, name: string): Promise<void> {
  await tx.$executeRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 471100005))`);
}
