import { createHash } from 'node:crypto';
import { execute, queryRow, sql } from '../../../database/sql.ts';
import { type InputIssue, InvalidInput } from '../../../lib/errors.ts';
import { randomBase62 } from '../../../lib/ids.ts';
import type { Services } from '../../../services.ts';
import { redirectUriOf, testClientId } from './attempt.ts';

/** A request to the authorization page of test mode. */
export interface TestAuthorization {
  redirectUri: string;
  state: string;
  codeChallenge: string;
}

const codeLivesMs = 600_000;

/** Reads the request. Only the platform's own callback is accepted as redirect address. */
export function readAuthorization(config: Services['config'], query: URLSearchParams): TestAuthorization {
  const issues: InputIssue[] = [];
  const want = (name: string, right: string, holds: (value: string) => boolean): string => {
    const [value = '', ...more] = query.getAll(name);
    if (more.length > 0 || !holds(value)) issues.push({ path: name, message: `must be ${right}` });
    return value;
  };
  want('response_type', 'code', (value) => value === 'code');
  want('client_id', testClientId, (value) => value === testClientId);
  want('code_challenge_method', 'S256', (value) => value === 'S256');
  const redirectUri = want('redirect_uri', "this platform's callback", (value) => value === redirectUriOf(config));
  const state = want('state', 'a text of 1 to 512 characters', (value) => value.length >= 1 && value.length <= 512);
  const codeChallenge = want('code_challenge', '43 characters in base64url', (value) =>
    /^[A-Za-z0-9_-]{43}$/.test(value),
  );
  if (issues.length > 0) throw new InvalidInput(issues);
  return { redirectUri, state, codeChallenge };
}

/** Records the decision made on the page and returns the address to which the browser is redirected. */
export async function answerAuthorization(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  { redirectUri, state, codeChallenge }: TestAuthorization,
  outcome: 'approve' | 'deny',
): Promise<string> {
  const url = new URL(redirectUri);
  if (outcome === 'deny') url.searchParams.set('error', 'access_denied');
  else {
    const code = `test_code_${randomBase62(32)}`;
    const expiresAt = new Date(clock.now().getTime() + codeLivesMs);
    await execute(
      pool,
      sql`
        INSERT INTO test_processor.connect_codes ("codeHash", "codeChallenge", "redirectUri", "expiresAt")
        VALUES (${hashOf(code)}, ${codeChallenge}, ${redirectUri}, ${expiresAt})`,
    );
    url.searchParams.set('code', code);
  }
  url.searchParams.set('state', state);
  return url.href;
}

/** The token endpoint of test mode. A code is valid once, with the verifier of its challenge. */
export async function answerToken(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  body: URLSearchParams,
): Promise<Response> {
  if (body.get('grant_type') !== 'authorization_code') return refusalResponse('unsupported_grant_type');
  if (body.get('client_id') !== testClientId) return refusalResponse('invalid_client');
  // The code is deleted when it is read, so that it cannot be used twice.
  const code = await queryRow<{ codeChallenge: string; redirectUri: string; expiresAt: Date }>(
    pool,
    sql`
      DELETE FROM test_processor.connect_codes
      WHERE "codeHash" = ${hashOf(body.get('code') ?? '')}
      RETURNING "codeChallenge", "redirectUri", "expiresAt"`,
  );
  if (!code || code.expiresAt <= clock.earliest() || code.redirectUri !== body.get('redirect_uri'))
    return refusalResponse('invalid_grant');
  // S256 is the same hash
  if (hashOf(body.get('code_verifier') ?? '') !== code.codeChallenge) return refusalResponse('invalid_grant');
  const tokens = {
    access_token: `test_access_${randomBase62(32)}`,
    refresh_token: `test_refresh_${randomBase62(32)}`,
    token_type: 'bearer',
    scope: 'read_write',
    livemode: false,
    stripe_user_id: `acct_${randomBase62(16)}`,
  };
  return json(200, tokens);
}

function refusalResponse(error: string): Response {
  return json(400, { error });
}

function json(status: number, body: object): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
