import { verifyWebhook } from '@clerk/backend/webhooks';
import { type ClockCheck, clockFault } from '../../lib/clock.ts';
import {
  type IdpAccess,
  IdpError,
  type IdpEvent,
  type IdpInvitation,
  type IdpOrganization,
  type IdpOrgMember,
  type IdpUser,
  type ListedSession,
  type PendingInvitation,
} from '../../ports/identity-provider.ts';

/** An object of Clerk's API, in an answer or in a message. */
type ClerkJson = Readonly<Record<string, unknown>>;

/** The answer behind a resource of the vendor's client. If the client did not recognize an answer, it is a string. */
export function rawOf(resource: unknown): ClerkJson {
  const raw = typeof resource === 'object' && resource !== null && 'raw' in resource ? resource.raw : null;
  return objectOf(raw);
}

export function userOf(json: ClerkJson): IdpUser {
  const emails = Array.isArray(json['email_addresses']) ? json['email_addresses'].map(objectOf) : [];
  const primary = emails.find(({ id }) => id === json['primary_email_address_id']);
  return {
    id: textOf(json, 'id'),
    // A user may have a telephone number only, which is not used for invitations or lookups.
    email: primary === undefined ? '' : textOf(primary, 'email_address'),
    emailVerified: primary !== undefined && mapOf(primary['verification'])['status'] === 'verified',
    ...accessOf(json),
    banned: json['banned'] === true,
    createdAt: dateOf(json, 'created_at'),
    updatedAt: dateOf(json, 'updated_at'),
  };
}

export function organizationOf(json: ClerkJson): IdpOrganization {
  return {
    id: textOf(json, 'id'),
    name: textOf(json, 'name'),
    slug: textOrNull(json['slug']),
    partnerSlug: textOrNull(mapOf(json['public_metadata'])['partnerSlug']),
    createdBy: textOrNull(json['created_by']),
    createdAt: dateOf(json, 'created_at'),
    updatedAt: dateOf(json, 'updated_at'),
  };
}

export function memberOf(json: ClerkJson): IdpOrgMember {
  return {
    organizationId: textOf(objectOf(json['organization']), 'id'),
    userId: textOf(objectOf(json['public_user_data']), 'user_id'),
    role: roleOf(textOf(json, 'role')),
    updatedAt: dateOf(json, 'updated_at'),
  };
}

const invitationStatuses: readonly IdpInvitation['status'][] = ['pending', 'accepted', 'revoked', 'expired'];

/** A session of the vendor's client, in which the client has already renamed the fields. */
export function listedSessionOf(session: unknown): ListedSession {
  const json = objectOf(session);
  const { ipAddress, browserName } = mapOf(json['latestActivity']);
  return {
    id: textOf(json, 'id'),
    createdAt: dateOf(json, 'createdAt'),
    expiresAt: dateOf(json, 'expireAt'),
    ipAddress: textOrNull(ipAddress),
    userAgent: textOrNull(browserName),
  };
}

export function invitationOf(json: ClerkJson): IdpInvitation {
  const status = invitationStatuses.find((known) => known === json['status']);
  if (status === undefined) throw unrecognized();
  const acceptUrl = textOrNull(json['url']);
  return {
    id: textOf(json, 'id'),
    email: textOf(json, 'email_address'),
    status,
    ...(acceptUrl !== null && { acceptUrl }),
  };
}

export function pendingInvitationOf(json: ClerkJson): PendingInvitation {
  return { id: textOf(json, 'id'), access: accessOf(json) };
}

/** Roles and scope in the public metadata of a user or an invitation. */
function accessOf(json: ClerkJson): IdpAccess {
  const { platformRoles, whitelabelOwnership } = mapOf(json['public_metadata']);
  return {
    platformRoles: Array.isArray(platformRoles) ? platformRoles.filter((role) => typeof role === 'string') : [],
    whitelabelOwnership: textOrNull(whitelabelOwnership),
  };
}

/** The user who creates an organization at Clerk is its admin, which the port calls its owner. */
function roleOf(role: string): string {
  return role === 'org:admin' ? 'owner' : role.replace(/^org:/, '');
}

function dateOf(json: ClerkJson, name: string): Date {
  const value = json[name];
  if (typeof value !== 'number') throw unrecognized();
  return new Date(value);
}

export function textOf(json: ClerkJson, name: string): string {
  const value = json[name];
  if (typeof value !== 'string' || value === '') throw unrecognized();
  return value;
}

export function objectOf(value: unknown): ClerkJson {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unrecognized();
  return value as ClerkJson; // an object has string keys
}

/** The object, or an empty one if the value is absent. */
function mapOf(value: unknown): ClerkJson {
  return value === null || value === undefined ? {} : objectOf(value);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The data of a list. If the client did not recognize an answer, it has other types than declared. */
export function listOf(data: unknown): readonly unknown[] {
  if (!Array.isArray(data)) throw unrecognized();
  return data;
}

/** An unrecognized answer proves nothing, not even that a user has no roles. */
export function unrecognized(): IdpError {
  return new IdpError('UNAVAILABLE', 'Clerk answered with something that is not what was asked for.');
}

/**
 * Verifies the signature of a message of Clerk and translates the message. The vendor's function checks its age by the
 * clock of the process: while that is off, a message is rejected so that Clerk sends it again.
 */
export async function readWebhook(
  { webhookSecret: signingSecret, machine }: { webhookSecret: string; machine: Pick<ClockCheck, 'aheadMs'> },
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): Promise<IdpEvent> {
  const fault = clockFault(machine.aheadMs());
  if (fault !== null) throw new IdpError('UNAVAILABLE', fault);
  const signed = ['svix-id', 'svix-timestamp', 'svix-signature'].map((name): [string, string] => [
    name,
    headers[name] ?? '',
  ]);
  // The vendor's function expects a web request, and reads these three headers and the body only.
  const request = new Request('http://localhost/', { method: 'POST', headers: signed, body });
  await verifyWebhook(request, { signingSecret }).catch((cause: unknown) => {
    throw new IdpError('REJECTED', 'The message is not signed by Clerk, or its signature has expired.', { cause });
  });
  // Parsed again, since the result of the verification lacks the timestamp.
  const message = objectOf(JSON.parse(body) as unknown);
  return eventOf(headers['svix-id'] ?? '', message, sentAt(message, headers));
}

/** The time of the change, or of the sending if the message lacks it. */
function sentAt(message: ClerkJson, headers: Readonly<Record<string, string>>): Date {
  return typeof message['timestamp'] === 'number'
    ? dateOf(message, 'timestamp')
    : new Date(Number(headers['svix-timestamp']) * 1000);
}

function eventOf(id: string, message: ClerkJson, at: Date): IdpEvent {
  const name = textOf(message, 'type');
  const data = objectOf(message['data']);
  switch (name) {
    case 'user.created':
    case 'user.updated':
      return { id, at, type: 'user.upserted', user: userOf(data) };
    case 'user.deleted':
      return { id, at, type: name, userId: textOf(data, 'id') };
    case 'session.ended':
    case 'session.removed':
    case 'session.revoked':
      return { id, at, type: 'session.ended', sessionId: textOf(data, 'id'), userId: textOf(data, 'user_id') };
    case 'organization.created':
    case 'organization.updated':
      return { id, at, type: 'organization.upserted', organization: organizationOf(data) };
    case 'organization.deleted':
      return { id, at, type: name, organizationId: textOf(data, 'id') };
    case 'organizationMembership.created':
    case 'organizationMembership.updated': {
      // Versions are ordered by the time of the change and not by that of the message.
      const { updatedAt, ...member } = memberOf(data);
      return { id, at: updatedAt, type: 'orgMember.upserted', ...member };
    }
    case 'organizationMembership.deleted': {
      const { organizationId, userId, role } = memberOf(data);
      return { id, at, type: 'orgMember.deleted', organizationId, userId, role };
    }
    default:
      return { id, at, type: 'ignored', name };
  }
}
