import { columnList, sql } from '../../database/sql.ts';
import { type IdpAccess, IdpError, type IdpOrganization, type IdpUser } from '../../ports/identity-provider.ts';

/** The row of a statement that must find one. */
export function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new IdpError('NOT_FOUND', 'The identity provider has no object with this id.');
  return row;
}

/** Translates the violation of a unique index; rethrows any other error. */
export function throwConflict(error: { code?: string }): never {
  if (error.code === '23505')
    throw new IdpError('CONFLICT', 'The identity provider has one of this kind already.', { cause: error });
  throw error;
}

/** The time of the first version of a row. The triggers set that of later versions. */
export const databaseTime = sql`date_trunc('milliseconds', clock_timestamp())`;

/** A row of the provider's tables, read by SQL or from a message. */
export type Row = Record<string, unknown>;

/** Listed explicitly: a prepared `SELECT *` fails once another process has added a column. */
export const userColumns = columnList([
  'id',
  'email',
  'emailVerified',
  'publicMetadata',
  'banned',
  'createdAt',
  'updatedAt',
]);

export const organizationColumns = columnList([
  'id',
  'name',
  'slug',
  'publicMetadata',
  'createdBy',
  'createdAt',
  'updatedAt',
]);

export function userOf(row: Row): IdpUser {
  return {
    id: String(row['id']),
    email: String(row['email']),
    emailVerified: row['emailVerified'] === true,
    ...accessOf(row),
    banned: row['banned'] === true,
    createdAt: dateOf(row['createdAt']),
    updatedAt: dateOf(row['updatedAt']),
  };
}

/** Roles and scope in the public metadata of a user or an invitation. */
export function accessOf(row: Row): IdpAccess {
  const { platformRoles, whitelabelOwnership } = publicMetadataOf(row);
  return {
    platformRoles: Array.isArray(platformRoles) ? platformRoles.filter((role) => typeof role === 'string') : [],
    whitelabelOwnership: textOrNull(whitelabelOwnership),
  };
}

/** Roles and scope as public metadata. A null value is omitted, as the hosted provider removes a key. */
export function metadataOf({ platformRoles, whitelabelOwnership }: IdpAccess): object {
  return { platformRoles: [...new Set(platformRoles)], ...(whitelabelOwnership !== null && { whitelabelOwnership }) };
}

export function organizationOf(row: Row): IdpOrganization {
  return {
    id: String(row['id']),
    name: String(row['name']),
    slug: textOrNull(row['slug']),
    partnerSlug: textOrNull(publicMetadataOf(row)['partnerSlug']),
    createdBy: textOrNull(row['createdBy']),
    createdAt: dateOf(row['createdAt']),
    updatedAt: dateOf(row['updatedAt']),
  };
}

export function dateOf(value: unknown): Date {
  return value instanceof Date ? value : new Date(String(value));
}

function publicMetadataOf(row: Row): Row {
  const metadata = row['publicMetadata'];
  return typeof metadata === 'object' && metadata !== null ? (metadata as Row) : {}; // an object has string keys
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
