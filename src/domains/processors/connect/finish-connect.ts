import * as oauth from 'oauth4webapi';
import { lockRow } from '../../../database/lock-row.ts';
import type { ConnectAttempt } from '../../../generated/prisma/client.ts';
import { isOutage } from '../../../lib/outage.ts';
import type { Services } from '../../../services.ts';
import { write } from '../../../unit-of-work/write.ts';
import { changeProcessor } from '../change-processor.ts';
import { connectServerOf, oauthState, redirectUriOf, verifierOf } from './attempt.ts';
import { answerToken } from './test-authorization.ts';

/** The reason of a failure that is sent to the return address. */
export type ConnectFailure =
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

/** Checks the processor's answer to the authorization request, which contains the code. */
function readAnswer(config: Services['config'], attempt: ConnectAttempt, answer: URLSearchParams): URLSearchParams {
  const { server, clientId } = connectServerOf(config, attempt.mode);
  try {
    const client = { client_id: clientId };
    const parameters = oauth.validateAuthResponse(server, client, answer, oauthState(config, attempt));
    if (!parameters.get('code')) throw new ExchangeFailed('token_answer_invalid');
    return parameters;
  } catch (error) {
    throw failureOf(error);
  }
}

/** Exchanges the code of the processor's answer for tokens. */
async function exchangeCode(
  services: Pick<Services, 'config' | 'pool' | 'clock'>,
  attempt: ConnectAttempt,
  answer: URLSearchParams,
): Promise<Tokens> {
  const { server, clientId, clientSecret } = connectServerOf(services.config, attempt.mode);
  const client = { client_id: clientId };
  const parameters = readAnswer(services.config, attempt, answer);
  try {
    const authentication = clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication,
      parameters,
      redirectUriOf(services.config),
      verifierOf(services.config, attempt),
      {
        // The settings accept addresses without TLS for this machine only.
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: (url, init) =>
          clientSecret === null ? answerToken(services, init.body) : boundedFetch(services, url, init),
      },
    );
    return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response), attempt.mode);
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

/** The caller of the callback. */
interface Caller {
  requestId: string;
  ip: string;
}

/** Why the merchant need not be asked about the processor's answer; null if they must be. It uses nothing. */
export function checkAnswer(
  services: Services,
  attempt: ConnectAttempt,
  answer: URLSearchParams,
  caller: Caller,
): Promise<ConnectFailure | null> {
  return failureIn(services, attempt, caller, () => {
    if (attempt.usedAt !== null) throw new ExchangeFailed('state_used');
    assertInTime(services, attempt);
    readAnswer(services.config, attempt, answer);
  });
}

/** Ends an attempt with the merchant's decision: connects the processor, or returns why not. */
export function finishConnect(
  services: Services,
  attempt: ConnectAttempt,
  { answer, isApproved }: { answer: URLSearchParams; isApproved: boolean },
  caller: Caller,
): Promise<ConnectFailure | null> {
  return failureIn(services, attempt, caller, async () => {
    assertInTime(services, attempt);
    const { count } = await services.prisma.connectAttempt.updateMany({
      where: { id: attempt.id, usedAt: null },
      data: { usedAt: services.clock.now() },
    });
    if (count === 0) throw new ExchangeFailed('state_used');
    if (!isApproved) throw new ExchangeFailed('access_denied');
    await connect(services, attempt, await exchangeCode(services, attempt, answer), caller);
  });
}

function assertInTime({ clock }: Pick<Services, 'clock'>, { expiresAt }: ConnectAttempt): void {
  if (expiresAt <= clock.earliest()) throw new ExchangeFailed('state_expired');
}

/** The reason for which `work` failed; null if it did not. */
async function failureIn(
  { log }: Pick<Services, 'log'>,
  { processorId }: ConnectAttempt,
  { requestId }: Caller,
  work: () => Promise<void> | void,
): Promise<ConnectFailure | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
    log.warn({ reason: error.reason, processorId, requestId }, 'A processor could not be connected.');
    return error.reason;
  }
}

/** Stores the tokens in the processor's row, encrypted. The processor is connected from then on. */
async function connect(
  services: Services,
  { processorId: id, platformAccountId, partnerId, mode, actorKind, actorId }: ConnectAttempt,
  { accessToken, refreshToken, accountId }: Tokens,
  { requestId, ip }: Caller,
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
