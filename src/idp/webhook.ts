import { Webhook } from 'standardwebhooks';
import {
  type IdpAccess,
  IdpError,
  type IdpEvent,
  type IdpOrganization,
  type IdpUser,
} from '../ports/identity-provider.ts';

export interface SignedMessage {
  headers: Record<string, string>;
  body: string;
}

type Row = Record<string, unknown>;

/** Signs one message of the outbox as a hosted provider would. The time is that of the sending, since old signatures are refused. */
export function signMessage(secret: string, id: string, message: object): SignedMessage {
  const body = JSON.stringify(message);
  const now = new Date();
  const signature = new Webhook(secret).sign(id, now, body);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'svix-id': id,
      'svix-timestamp': timestamp,
      'svix-signature': signature,
    },
  };
}

/** Both spellings of the headers are in use: the standard's, and that of the service it grew from. */
export function openMessage(
  secret: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): { id: string; message: Row } {
  const header = (name: string) => headers[`webhook-${name}`] ?? headers[`svix-${name}`] ?? '';
  const id = header('id');
  try {
    new Webhook(secret).verify(body, {
      'webhook-id': id,
      'webhook-timestamp': header('timestamp'),
      'webhook-signature': header('signature'),
    });
    return { id, message: JSON.parse(body) as Row }; // signed by us, so it is what `signMessage` was given
  } catch (error) {
    throw new IdpError('REJECTED', 'The message is not signed by the identity provider, or its time is over.', {
      cause: error,
    });
  }
}

/** A row of the provider's tables, as its trigger told it, in the port's words. */
export function eventOf(id: string, message: Row): IdpEvent {
  const data = message['data'] as Row; // written by the trigger
  const at = dateOf(message['at']);
  const name = String(message['type']);
  const member = () => ({
    organizationId: String(data['organizationId']),
    userId: String(data['userId']),
    role: String(data['role']),
  });
  switch (name) {
    case 'user.upserted':
      return { id, at, type: name, user: userOf(data) };
    case 'user.deleted':
      return { id, at, type: name, userId: String(data['id']) };
    case 'session.deleted':
      return { id, at, type: 'session.ended', sessionId: String(data['id']), userId: String(data['userId']) };
    case 'organization.upserted':
      return { id, at, type: name, organization: organizationOf(data) };
    case 'organization.deleted':
      return { id, at, type: name, organizationId: String(data['id']) };
    case 'membership.upserted':
      return { id, at, type: 'orgMember.upserted', ...member() };
    case 'membership.deleted':
      return { id, at, type: 'orgMember.deleted', ...member() };
    default:
      return { id, at, type: 'ignored', name };
  }
}

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

/** What the public metadata of a person or an invitation gives. */
export function accessOf(row: Row): IdpAccess {
  const { platformRoles, whitelabelOwnership } = metadataOf(row);
  return {
    platformRoles: Array.isArray(platformRoles) ? platformRoles.filter((role) => typeof role === 'string') : [],
    whitelabelOwnership: textOrNull(whitelabelOwnership),
  };
}

export function organizationOf(row: Row): IdpOrganization {
  return {
    id: String(row['id']),
    name: String(row['name']),
    slug: textOrNull(row['slug']),
    partnerSlug: textOrNull(metadataOf(row)['partnerSlug']),
    createdBy: textOrNull(row['createdBy']),
    createdAt: dateOf(row['createdAt']),
    updatedAt: dateOf(row['updatedAt']),
  };
}

function metadataOf(row: Row): Row {
  const metadata = row['publicMetadata'];
  return typeof metadata === 'object' && metadata !== null ? (metadata as Row) : {}; // an object has string keys
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function dateOf(value: unknown): Date {
  return value instanceof Date ? value : new Date(String(value));
}
