import * as oauth from 'oauth4webapi';
import type { Env } from '../env.ts';
import { type ConnectServer, redirectUriOf } from './authorization-server.ts';
import { answerToken } from './test-authorization.ts';

/** Why nothing came of it, as the return address hears it. */
export type ConnectFailure =
  | 'access_denied'
  | 'authorization_failed'
  | 'code_refused'
  | 'token_endpoint_unavailable'
  | 'token_answer_invalid'
  | 'mode_mismatch'
  | 'state_expired'
  | 'state_used';

/** A failure of the exchange, in a word. It carries nothing of what was sent or answered. */
export class ExchangeFailed extends Error {
  readonly reason: ConnectFailure;

  constructor(reason: ConnectFailure) {
    super(`The exchange failed: ${reason}.`);
    this.reason = reason;
  }
}

export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  /** The account at the processor that was connected. */
  accountId: string | null;
}

const answerBytesMax = 64 * 1024;
const tokenLengthMax = 4_096;

/** Checks what came back from the authorization page, and gets tokens for its code. */
export async function exchangeCode(
  env: Pick<Env, 'config' | 'pool' | 'clock'>,
  { server, clientId, clientSecret }: ConnectServer,
  asked: { query: URLSearchParams; state: string; verifier: string; mode: string },
): Promise<Tokens> {
  const client = { client_id: clientId };
  try {
    const parameters = oauth.validateAuthResponse(server, client, asked.query, asked.state);
    const authentication = clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUriOf(env.config),
      asked.verifier,
      {
        // The configuration has seen to it that only addresses of this machine are without TLS.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) =>
          clientSecret === null ? answerToken(env, init.body) : boundedFetch(env, url, init),
      },
    );
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response), asked.mode);
  } catch (error) {
    throw failureOf(error);
  }
}

type Fetch = NonNullable<oauth.TokenEndpointRequestOptions[typeof oauth.customFetch]>;

/** The library sets no bound to how long an answer takes or how large it is. */
async function boundedFetch({ config }: Pick<Env, 'config'>, ...[url, init]: Parameters<Fetch>): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(config.processorTimeoutMs) });
    // Not every server says in OAuth's words what it refuses.
    if (response.status >= 400)
      throw new ExchangeFailed(response.status >= 500 ? 'token_endpoint_unavailable' : 'code_refused');
    return new Response(await boundedText(response), { status: response.status, headers: response.headers });
  } catch (error) {
    throw error instanceof ExchangeFailed ? error : new ExchangeFailed('token_endpoint_unavailable');
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new ExchangeFailed('token_answer_invalid');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tokensOf(answer: oauth.TokenEndpointResponse, mode: string): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken, livemode, stripe_user_id: accountId } = answer;
  if (
    ![accessToken, refreshToken].every(
      (token) => token === undefined || (token.length > 0 && token.length <= tokenLengthMax),
    )
  )
    throw new ExchangeFailed('token_answer_invalid');
  if (accountId !== undefined && !(typeof accountId === 'string' && /^acct_[A-Za-z0-9]{1,64}$/.test(accountId)))
    throw new ExchangeFailed('token_answer_invalid');
  // A test processor must never hold what moves real money, nor the other way round.
  if (livemode !== undefined && livemode !== (mode === 'live')) throw new ExchangeFailed('mode_mismatch');
  return { accessToken, refreshToken: refreshToken ?? null, accountId: accountId ?? null };
}

/** In a word, without the error itself: it may hold the answer, and with it tokens. */
function failureOf(error: unknown): ExchangeFailed {
  if (error instanceof ExchangeFailed) return error;
  if (error instanceof oauth.AuthorizationResponseError)
    return new ExchangeFailed(error.error === 'access_denied' ? 'access_denied' : 'authorization_failed');
  if (error instanceof oauth.ResponseBodyError) return new ExchangeFailed('code_refused');
  return new ExchangeFailed('token_answer_invalid');
}
