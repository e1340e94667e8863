import type { IncomingMessage } from 'node:http';
import { anonymous, type Caller, type SessionCaller } from '../../src/auth/caller.ts';
import { Forbidden, NotAuthorized } from '../../src/kit/errors.ts';
import { authenticateSession } from '../../src/people/identity/public.ts';
import type { Services } from '../../src/services.ts';

/** The person whose session a browser's cookie names; anonymous without one, or if it has ended. */
export async function visitorOf(
  services: Services,
  { headers: { cookie } }: Pick<IncomingMessage, 'headers'>,
): Promise<Exclude<Caller, { kind: 'partnerKey' | 'subKey' }> | 'mustEnroll'> {
  if (cookie === undefined) return anonymous;
  try {
    return (await authenticateSession(services, { authorization: undefined, cookie })).caller;
  } catch (error) {
    if (error instanceof NotAuthorized) return anonymous;
    // A person who must set up a second factor first.
    if (error instanceof Forbidden) return 'mustEnroll';
    throw error;
  }
}

/** What a person is here, in words: the roles as the API names them, and the partner. */
export function standingOf({ platformRoles, whitelabelOwnership }: SessionCaller): string {
  const roles = platformRoles.length === 0 ? 'no role' : platformRoles.join(', ');
  return whitelabelOwnership === null ? roles : `${roles} at ${whitelabelOwnership}`;
}
