import { createHash } from 'node:crypto';
import type { Env } from '../env.ts';
import { type InputIssue, InvalidInput } from '../kit/errors.ts';
import { randomBase62 } from '../kit/ids.ts';
import { redirectUriOf, testClientId } from './authorization-server.ts';

/** What the page was asked for. */
export interface TestAuthorization {
  redirectUri: string;
  state: string;
  codeChallenge: string;
}

const codeLivesMs = 600_000;

/** The question that leads to the page of test mode. It goes back to our own callback and nowhere else. */
export function readAuthorization(config: Env['config'], query: URLSearchParams): TestAuthorization {
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

/** Where the browser goes with the answer given on the page. */
export async function answerAuthorization(
  { pool, clock }: Pick<Env, 'pool' | 'clock'>,
  { redirectUri, state, codeChallenge }: TestAuthorization,
  outcome: 'approve' | 'deny',
): Promise<string> {
  const url = new URL(redirectUri);
  if (outcome === 'deny') url.searchParams.set('error', 'access_denied');
  else {
    const code = `test_code_${randomBase62(32)}`;
    const values = [hashOf(code), codeChallenge, redirectUri, new Date(clock.now().getTime() + codeLivesMs)];
    await pool.query(
      'INSERT INTO test_processor.connect_codes ("codeHash", "codeChallenge", "redirectUri", "expiresAt") VALUES ($1, $2, $3, $4)',
      values,
    );
    url.searchParams.set('code', code);
  }
  url.searchParams.set('state', state);
  return url.href;
}

/** Its token endpoint: a code is good once, for who has the verifier of the challenge it was given for. */
export async function answerToken(
  { pool, clock }: Pick<Env, 'pool' | 'clock'>,
  body: URLSearchParams,
): Promise<Response> {
  if (body.get('grant_type') !== 'authorization_code') return refused('unsupported_grant_type');
  if (body.get('client_id') !== testClientId) return refused('invalid_client');
  // Looked at once, it is gone, whatever comes of it.
  const { rows } = await pool.query<{ codeChallenge: string; redirectUri: string; expiresAt: Date }>(
    'DELETE FROM test_processor.connect_codes WHERE "codeHash" = $1 RETURNING "codeChallenge", "redirectUri", "expiresAt"',
    [hashOf(body.get('code') ?? '')],
  );
  const [code] = rows;
  if (!code || code.expiresAt <= clock.now() || code.redirectUri !== body.get('redirect_uri'))
    return refused('invalid_grant');
  if (hashOf(body.get('code_verifier') ?? '') !== code.codeChallenge) return refused('invalid_grant'); // S256 is this very hash
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

export async function forgetTestCodes({ pool, clock }: Pick<Env, 'pool' | 'clock'>): Promise<number> {
  const { rowCount } = await pool.query('DELETE FROM test_processor.connect_codes WHERE "expiresAt" <= $1', [
    clock.now(),
  ]);
  return rowCount ?? 0;
}

function refused(error: string): Response {
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
