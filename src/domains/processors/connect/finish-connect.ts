import * as oauth from 'oauth4webapi';
import { lockRow } from '../../../database/lock-row.ts';
import type { ConnectAttempt } from '../../../generated/prisma/client.ts';
import { isOutage } from '../../../lib/outage.ts';
import type { Services } from '../../../services.ts';
import { write } from '../../../unit-of-work/write.ts';
import { changeProcessor } from '../change-processor.ts';
import {
  assertConsent,
  type ConnectServer,
  connectServerOf,
  consentCookieOf,
  findAttempt,
  oauthState,
  redirectUriOf,
  verifierOf,
} from './attempt.ts';
import { answerToken } from './test-authorization.ts';

/** The reason of a failure that is sent to the return address. */
type ConnectFailure =
  | 'access_denied'
  | 'authorization_failed'
  | 'code_refused'
  | 'token_endpoint_unavailable'
  | 'token_answer_invalid'
  | 'mode_mismatch'
  | 'state_expired'
  | 'state_used';

/** A failure of the exchange. It contains only the reason, and nothing of the request or the answer. */
class ExchangeFailed extends Error {
  readonly reason: ConnectFailure;

  constructor(reason: ConnectFailure) {
    super(`The exchange failed: ${reason}.`);
    this.reason = reason;
  }
}

interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  /** The connected account at the processor. */
  accountId: string | null;
}

const answerBytesMax = 64 * 1024;
const tokenLengthMax = 4_096;

/** Checks the authorization response and exchanges its code for tokens. */
async function exchangeCode(
  services: Pick<Services, 'config' | 'pool' | 'clock'>,
  { server, clientId, clientSecret }: ConnectServer,
  request: { query: URLSearchParams; state: string; verifier: string; mode: string },
): Promise<Tokens> {
  const client = { client_id: clientId };
  try {
    const parameters = oauth.validateAuthResponse(server, client, request.query, request.state);
    const authentication = clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUriOf(services.config),
      request.verifier,
      {
        // The settings accept addresses without TLS for this machine only.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) =>
          clientSecret === null ? answerToken(services, init.body) : boundedFetch(services, url, init),
      },
    );
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response), request.mode);
  } catch (error) {
    throw failureOf(error);
  }
}

type Fetch = NonNullable<oauth.TokenEndpointRequestOptions[typeof oauth.customFetch]>;

/** Limits the time and the size of an answer, which the library does not. */
async function boundedFetch(
  { config }: Pick<Services, 'config'>,
  ...[url, init]: Parameters<Fetch>
): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(config.processorTimeoutMs) });
    // Some servers do not use the OAuth format for errors.
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
  // A processor must not have a token of the other mode, nor one whose mode is unknown.
  if (livemode !== (mode === 'live')) throw new ExchangeFailed('mode_mismatch');
  return { accessToken, refreshToken: refreshToken ?? null, accountId: accountId ?? null };
}

/** The reason without the error itself, which may contain the answer and its tokens. */
function failureOf(error: unknown): unknown {
  if (error instanceof ExchangeFailed || isOutage(error)) return error;
  if (error instanceof oauth.AuthorizationResponseError)
    return new ExchangeFailed(error.error === 'access_denied' ? 'access_denied' : 'authorization_failed');
  if (error instanceof oauth.ResponseBodyError) return new ExchangeFailed('code_refused');
  return new ExchangeFailed('token_answer_invalid');
}

/** An attempt that has ended, with the address to which the browser is redirected. */
export interface ConnectOutcome {
  attempt: ConnectAttempt;
  /** Null if the processor is connected. */
  failure: ConnectFailure | null;
}

/**
 * Ends an attempt with the parameters of the callback. 400 for an unknown state, and 403 in a browser other than that
 * of the consent: then there is no address to redirect to.
 */
export async function finishConnect(
  services: Services,
  query: URLSearchParams,
  call: { requestId: string; ip: string },
  cookieOf: (name: string) => string,
): Promise<ConnectOutcome> {
  const attempt = await findAttempt(services, query);
  assertConsent(services.config, attempt, cookieOf(consentCookieOf(services.config, attempt).name));
  const now = services.clock.now();
  if (attempt.expiresAt <= services.clock.earliest()) return { attempt, failure: 'state_expired' };
  const { count } = await services.prisma.connectAttempt.updateMany({
    where: { id: attempt.id, usedAt: null },
    data: { usedAt: now },
  });
  if (count === 0) return { attempt, failure: 'state_used' };
  try {
    const request = {
      query,
      state: oauthState(services.config, attempt),
      verifier: verifierOf(services.config, attempt),
      mode: attempt.mode,
    };
    await connect(
      services,
      attempt,
      await exchangeCode(services, connectServerOf(services.config, attempt.mode), request),
      call,
    );
    return { attempt, failure: null };
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
    services.log.warn(
      { reason: error.reason, processorId: attempt.processorId, requestId: call.requestId },
      'A processor could not be connected.',
    );
    return { attempt, failure: error.reason };
  }
}

/** Stores the tokens in the processor's row, encrypted. The processor is connected from then on. */
async function connect(
  services: Services,
  { processorId: id, platformAccountId, partnerId, mode, actorKind, actorId }: ConnectAttempt,
  { accessToken, refreshToken, accountId }: Tokens,
  { requestId, ip }: { requestId: string; ip: string },
): Promise<void> {
  const writer = {
    services,
    actor: { kind: actorKind, id: actorId },
    requestId,
    ip,
    idempotency: null,
    answer: { replayed: false },
  };
  await write(writer, 'connectProcessor', async (change) => {
    await lockRow(change.tx, 'processors', id);
    const before = await change.tx.processor.findFirstOrThrow({ where: { id, platformAccountId, partnerId, mode } });
    const secrets = { accessToken, ...(refreshToken !== null && { refreshToken }) };
    // Values of an earlier connection must not be kept beside those of the new one.
    const removed = [...(refreshToken === null ? ['refreshToken'] : []), ...(accountId === null ? ['accountId'] : [])];
    await changeProcessor(
      services,
      change,
      before,
      {},
      { options: accountId === null ? {} : { accountId }, secrets, removed },
    );
  });
}
