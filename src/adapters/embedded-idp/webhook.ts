import { Webhook } from 'standardwebhooks';
import { IdpError, type IdpEvent } from '../../ports/identity-provider.ts';
import { dateOf, organizationOf, type Row, userOf } from './rows.ts';

export interface SignedMessage {
  headers: Record<string, string>;
  body: string;
}

/** Signs one message of the outbox as a hosted provider does. Signed at each attempt, since old signatures expire. */
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

/** Verifies a message. Its headers have the names of Standard Webhooks, or those of Svix. */
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
    return { id, message: JSON.parse(body) as Row }; // the signature proves that `signMessage` wrote it
  } catch (error) {
    throw new IdpError(
      'REJECTED',
      'The message is not signed by the identity provider, or its signature has expired.',
      {
        cause: error,
      },
    );
  }
}

/** Translates a row of the provider's tables, as its trigger stored it, into an event of the port. */
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
