import ipaddr from 'ipaddr.js';
import { isOverload } from '../database/database.ts';
import { Forbidden, NotAuthorized, Overloaded, RateLimited } from '../lib/errors.ts';
import type { Services } from '../services.ts';
import { rateHeaders, retryAfterS } from './buckets.ts';
import type { ApiKeyCaller } from './caller.ts';
import type { CheckedKey } from './key-checks.ts';
import { cellOfSecret, hashSecret, isWellFormedSecret, modeOfSecret, secretStart } from './secret.ts';

/** The message for a request without a bearer token, for clients that send a key in the form of another API. */
function withoutBearer({
  authorization,
  keyElsewhere,
}: {
  authorization: string | undefined;
  keyElsewhere?: string | undefined;
}): string | undefined {
  const remedy = 'send the header "Authorization: Bearer <API_KEY>".';
  if (authorization === undefined) return keyElsewhere && `API keys are not accepted from ${keyElsewhere}: ${remedy}`;
  if (/^basic /i.test(authorization)) return `API keys are not accepted as HTTP Basic credentials: ${remedy}`;
  if (/^bearer\b/i.test(authorization))
    return `"Bearer", one space and the API key must be all of the header Authorization: ${remedy}`;
  const words = authorization.trim().split(/\s+/);
  if (!isWellFormedSecret(words.at(-1) ?? '')) return undefined;
  return words.length === 1
    ? `The API key has no "Bearer" before it: ${remedy}`
    : `The API key has another word than "Bearer" before it: ${remedy}`;
}

/** The message for a credential that has not the form of a key. It contains nothing of the credential. */
function malformed(secret: string): string {
  return secret.startsWith(secretStart)
    ? 'The API key is not valid: check that it was copied completely.'
    : `The API key is not valid: keys of this platform begin with ${secretStart}, without quotes or brackets.`;
}

export interface Admission {
  caller: ApiKeyCaller;
  /** The headers of the rate limit, which every answer has. */
  headers: Record<string, string>;
}

/**
 * Authenticates an API key and takes one token from its owner's bucket. Errors in this order: 401 (unknown, revoked or
 * expired key), 429, 403 (partner offboarded, address not allowed). The scopes of a root field decide whether the key
 * of a suspended partner may call it.
 */
export async function authenticate(
  services: Services,
  request: { authorization: string | undefined; ip: string; keyElsewhere?: string | undefined },
): Promise<Admission> {
  const secret = bearerOf(request.authorization);
  if (secret === undefined) throw new NotAuthorized(withoutBearer(request));
  if (!isWellFormedSecret(secret)) throw new NotAuthorized(malformed(secret));
  if (services.config.sandbox && modeOfSecret(secret) === 'live')
    throw new NotAuthorized('This is the sandbox: live keys are not valid here. Use a test key.');
  const key = await takeToken(services, secret);
  if (key === undefined) throw new NotAuthorized(unknownKey(secret, services.config.cell));
  const headers = rateHeaders(key.plan, key.tokens);
  if (!key.allowed) throw new RateLimited(retryAfterS(key.plan, key.tokens), headers);
  if (key.partnerStatus === 'offboarded') {
    throw withHeaders(
      new Forbidden('partner_not_active', 'The partner is offboarded. Its keys are no longer valid.'),
      headers,
    );
  }
  if (key.allowedIps.length > 0 && !isAllowed(request.ip, key.allowedIps)) {
    throw withHeaders(
      new Forbidden('ip_not_allowed', 'The API key may not be used from this address.', { ip: request.ip }),
      headers,
    );
  }
  return { caller: callerOf(key), headers };
}

function takeToken({ keyChecks }: Services, secret: string): Promise<CheckedKey | undefined> {
  return admitted(() => keyChecks.check(hashSecret(secret)));
}

async function admitted<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    // The call was admitted and got no connection: it had no effect and can be repeated.
    if (isOverload(error)) throw new Overloaded();
    throw error;
  }
}

/** The sentence depends on the form of the key alone: it does not say whether another cell knows the key. */
function unknownKey(secret: string, cell: string): string {
  const issuer = cellOfSecret(secret);
  if (issuer === cell) return 'The API key is unknown, revoked or expired.';
  return (
    `The API key has the form of a key of ${nameOfCell(issuer)}, and this is ${nameOfCell(cell)}: check the address ` +
    'of the request.'
  );
}

function nameOfCell(tag: string): string {
  return tag === '' ? 'the cell without a tag' : `the cell "${tag}"`;
}

/** The credential of an Authorization header; the scheme is case-insensitive. */
function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +([^\s]+) *$/i.exec(header ?? '')?.[1];
}

function isAllowed(ip: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return ranges.some((range) => {
    const [base, bits] = ipaddr.parseCIDR(range);
    return address.kind() === base.kind() && address.match(base, bits);
  });
}

function callerOf({ id: keyId, prefix: keyPrefix, mode, partnerId, partnerStatus, platformAccountId }: CheckedKey) {
  const key = {
    keyId,
    keyPrefix,
    ...(partnerStatus === 'suspended' && { isSuspended: true as const }),
  };
  const tenant = { partnerId, mode };
  return platformAccountId === null
    ? ({ kind: 'partnerKey', ...key, tenant } as const)
    : ({ kind: 'subKey', ...key, tenant: { ...tenant, platformAccountId } } as const);
}

function withHeaders(error: Forbidden, headers: Record<string, string>): Forbidden {
  return Object.assign(error, { headers });
}
