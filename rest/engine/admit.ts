import type { IncomingMessage } from 'node:http';
import { type Caller, isSession } from '../../src/auth/caller.ts';
import { secretStart } from '../../src/auth/secret.ts';
import type { Context } from '../../src/call/context.ts';
import { assertOwnOrigin } from '../../src/iam/public.ts';
import { NotAuthorized } from '../../src/lib/errors.ts';
import { countCalls } from '../../src/limits/windows.ts';
import type { Services } from '../../src/services.ts';
import { recordRefusal } from '../../src/unit-of-work/refusals.ts';
import { exchangeOf, noteCaller } from './exchange.ts';
import type { Headers } from './respond.ts';

/** What a request presents as its credential. */
interface Presented {
  authorization: string | undefined;
  cookie: string | undefined;
  ip: string;
  /** The place of a key that is not in the Authorization header, where other APIs expect keys. */
  keyElsewhere: string | undefined;
}

export interface Admission<Admitted extends Caller = Caller> {
  caller: Admitted;
  /** Headers of the answer, such as the remaining tokens of the key's bucket. */
  headers: Headers;
  viaCookie?: boolean;
}

export type Authenticate<Admitted extends Caller = Caller> = (
  services: Services,
  presented: Presented,
) => Promise<Admission<Admitted>>;

/**
 * Admits a call: one credential, its check, and the limit of a person. These are the first steps of contract 5 for REST,
 * GraphQL and the pages of signed-in users.
 */
export async function admit<Admitted extends Caller>(
  services: Services,
  request: IncomingMessage,
  authenticate: Authenticate<Admitted>,
  ip: string,
): Promise<Admission<Admitted>> {
  assertOneAuthorization(request);
  const { authorization, cookie } = request.headers;
  const keyElsewhere = authorization === undefined ? keyPlace(request) : undefined;
  const admission = await authenticate(services, { authorization, cookie, ip, keyElsewhere });
  noteCaller(exchangeOf(request), admission.caller);
  if (isSession(admission.caller)) await countCalls(services, admission.caller, 1);
  return admission;
}

/**
 * Rejects a request with several Authorization headers. Node uses the first and drops the others, but a proxy may have
 * authorized the request by another one.
 */
function assertOneAuthorization({ rawHeaders }: IncomingMessage): void {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 'authorization'.length && name.toLowerCase() === 'authorization') count += 1;
  }
  if (count > 1) throw new NotAuthorized('The header Authorization was sent more than once: send one credential.');
}

/**
 * Rejects a request that a page of another site makes with the user's cookie, and records the changes that it asks for
 * in the audit log.
 */
export async function assertOwnPage(
  context: Context,
  { headers: { origin } }: IncomingMessage,
  requestedChanges: () => Promise<readonly string[]> | readonly string[],
): Promise<void> {
  try {
    assertOwnOrigin(context.services.config, origin);
  } catch (refusal) {
    for (const action of await requestedChanges()) await recordRefusal(context, { action, target: null }, refusal);
    throw refusal;
  }
}

/** The place in which other APIs expect keys, if the request has a key there. */
function keyPlace({ headers, url = '' }: IncomingMessage): string | undefined {
  if ('x-api-key' in headers) return 'the header X-API-Key';
  if ('api-key' in headers) return 'the header Api-Key';
  return url.includes(secretStart) ? 'the address, which logs keep' : undefined;
}
