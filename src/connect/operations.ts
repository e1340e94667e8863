import * as oauth from 'oauth4webapi';
import type { Env } from '../env.ts';
import type { ConnectAttempt } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { type InputIssue, InvalidInput, invalid } from '../kit/errors.ts';
import { randomBase62 } from '../kit/ids.ts';
import { write } from '../kit/write.ts';
import { changeProcessor, lockProcessor } from '../processors/operations.ts';
import { parseKeyRing } from '../vault/key-ring.ts';
import { decryptSecret, encryptSecret } from '../vault/secrets.ts';
import { connectServerOf, redirectUriOf } from './authorization-server.ts';
import { type ConnectFailure, exchangeCode, ExchangeFailed, type Tokens } from './exchange-code.ts';
import type { InitiateConnectInput } from './schema.ts';
import { hashOfState, isStateOf, stateOf } from './state.ts';
import { forgetTestCodes } from './test-authorization.ts';

const stateLivesMs = 600_000;
/** Rows outlive their state, so that a repeated call has its answer and a late browser hears why. */
const rowLivesMs = 48 * 3_600_000;

/** The address of the authorization page on which a merchant connects an account of theirs to a processor. */
export async function initiateConnect(
  context: KeyContext,
  input: typeof InitiateConnectInput.$inferInput,
): Promise<{ url: string }> {
  const { env, caller, actor } = context;
  assertReturnAddresses(caller.mode, input);
  const { id } = await write(context, 'initiateCardprocessorConnect', async (change) => {
    const {
      id: processorId,
      platformAccountId,
      partnerId,
      mode,
      type,
    } = await lockProcessor(context, change, input.processorId);
    if (type !== 'stripe') throw invalid('processorId', 'must name a processor whose type has OAuth: stripe');
    connectServerOf(env.config, mode);
    const attempt = {
      id: randomBase62(32),
      processorId,
      platformAccountId,
      partnerId,
      mode,
      expiresAt: new Date(change.now.getTime() + stateLivesMs),
    };
    const verifier = encryptSecret(
      parseKeyRing(env.config.vaultKeys),
      oauth.generateRandomCodeVerifier(),
      contextOf(attempt.id),
    );
    const returnUrl = input.redirectUrl ?? input.returnUrl ?? null;
    await change.tx.connectAttempt.create({
      data: {
        ...attempt,
        stateHash: hashOfState(stateOf(env.config, attempt)),
        verifier,
        returnUrl,
        isFromOnboarding: input.isFromOnboarding ?? false,
        actorKind: actor.kind,
        actorId: actor.id,
        createdAt: change.now,
      },
    });
    change.audit({ action: 'initiateCardprocessorConnect', target: processorId });
    // What is kept for a repeat of the call must not be the state itself.
    return { id: attempt.id };
  });
  return { url: await authorizationUrl(env, await env.prisma.connectAttempt.findUniqueOrThrow({ where: { id } })) };
}

/** What came of an attempt, and where its browser goes now. */
export interface ConnectOutcome {
  attempt: ConnectAttempt;
  /** Null: it is connected. */
  failure: ConnectFailure | null;
}

/** Ends an attempt with what the authorization page sent along. 400 for a state that is not ours: such a browser is sent nowhere. */
export async function finishConnect(
  env: Env,
  query: URLSearchParams,
  call: { requestId: string; ip: string },
): Promise<ConnectOutcome> {
  const attempt = await attemptOf(env, query);
  const now = env.clock.now();
  if (attempt.expiresAt <= now) return { attempt, failure: 'state_expired' };
  const { count } = await env.prisma.connectAttempt.updateMany({
    where: { id: attempt.id, usedAt: null },
    data: { usedAt: now },
  });
  if (count === 0) return { attempt, failure: 'state_used' };
  try {
    const asked = {
      query,
      state: stateOf(env.config, attempt),
      verifier: verifierOf(env.config, attempt),
      mode: attempt.mode,
    };
    await connect(env, attempt, await exchangeCode(env, connectServerOf(env.config, attempt.mode), asked), call);
    return { attempt, failure: null };
  } catch (error) {
    if (!(error instanceof ExchangeFailed)) throw error;
    env.log.warn(
      { reason: error.reason, processorId: attempt.processorId, requestId: call.requestId },
      'A processor could not be connected.',
    );
    return { attempt, failure: error.reason };
  }
}

/** Removes what nobody comes back to. */
export async function forgetConnectAttempts(env: Pick<Env, 'prisma' | 'pool' | 'clock'>): Promise<number> {
  const { count } = await env.prisma.connectAttempt.deleteMany({
    where: { createdAt: { lte: new Date(env.clock.now().getTime() - rowLivesMs) } },
  });
  return count + (await forgetTestCodes(env));
}

async function attemptOf(
  { prisma, config }: Pick<Env, 'prisma' | 'config'>,
  query: URLSearchParams,
): Promise<ConnectAttempt> {
  const [state = '', ...more] = query.getAll('state');
  const attempt =
    more.length === 0 && state.length <= 128
      ? await prisma.connectAttempt.findUnique({ where: { stateHash: hashOfState(state) } })
      : null;
  if (!attempt || !isStateOf(config, attempt, state)) throw invalid('state', 'is not one that was given out here');
  return attempt;
}

/** Keeps the tokens in the processor's row, encrypted, which makes it connected. */
async function connect(
  env: Env,
  { processorId: id, platformAccountId, partnerId, mode, actorKind, actorId }: ConnectAttempt,
  { accessToken, refreshToken, accountId }: Tokens,
  { requestId, ip }: { requestId: string; ip: string },
): Promise<void> {
  const writer = { env, actor: { kind: actorKind, id: actorId }, requestId, ip, idempotency: null, replayed: false };
  await write(writer, 'connectProcessor', async (change) => {
    await change.tx.$queryRaw`SELECT id FROM processors WHERE id = ${id} FOR NO KEY UPDATE`;
    const before = await change.tx.processor.findFirstOrThrow({ where: { id, platformAccountId, partnerId, mode } });
    const secrets = { accessToken, ...(refreshToken !== null && { refreshToken }) };
    // What an earlier connection left must not stand beside the new one's.
    const removed = [...(refreshToken === null ? ['refreshToken'] : []), ...(accountId === null ? ['accountId'] : [])];
    await changeProcessor(
      env,
      change,
      before,
      {},
      { options: accountId === null ? {} : { accountId }, secrets, removed },
    );
  });
}

async function authorizationUrl({ config }: Pick<Env, 'config'>, attempt: ConnectAttempt): Promise<string> {
  const { server, clientId } = connectServerOf(config, attempt.mode);
  const url = new URL(server.authorization_endpoint);
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    scope: 'read_write',
    redirect_uri: redirectUriOf(config),
    state: stateOf(config, attempt),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifierOf(config, attempt)),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function verifierOf({ vaultKeys }: Pick<Env['config'], 'vaultKeys'>, { id, verifier }: ConnectAttempt): string {
  return decryptSecret(parseKeyRing(vaultKeys), verifier, contextOf(id));
}

function contextOf(attemptId: string): string {
  return `connect:${attemptId}`;
}

function assertReturnAddresses(
  mode: string,
  input: { returnUrl?: string | null | undefined; redirectUrl?: string | null | undefined },
): void {
  const issues: InputIssue[] = [];
  for (const path of ['returnUrl', 'redirectUrl'] as const) {
    const address = input[path];
    if (address != null && mode === 'live' && new URL(address).protocol !== 'https:')
      issues.push({ path, message: 'must be an https address in live mode' });
  }
  if (issues.length > 0) throw new InvalidInput(issues);
}
