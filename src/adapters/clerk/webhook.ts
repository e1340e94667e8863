import { verifyWebhook } from '@clerk/backend/webhooks';
import { type ClockCheck, clockFault } from '../../kit/compared-clock.ts';
import { IdpError, type IdpEvent } from '../../ports/identity-provider.ts';
import { type ClerkJson, dateOf, memberOf, objectOf, organizationOf, textOf, userOf } from './translate.ts';

/**
 * Verifies the signature of a message of Clerk and translates the message. The vendor's function judges its age by the
 * clock of the process: while that is off, a message is left to be sent again.
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
