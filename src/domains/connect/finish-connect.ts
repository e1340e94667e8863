import { sql } from '../../database/sql.ts';
import type { ConnectAttempt } from '../../generated/prisma/client.ts';
import type { Services } from '../../services.ts';
import { write } from '../../write/write.ts';
import { changeProcessor } from '../processors/public.ts';
import { connectServerOf } from './authorization-server.ts';
import { assertConsent, consentCookieOf } from './consent.ts';
import { type ConnectFailure, ExchangeFailed, exchangeCode, type Tokens } from './exchange-code.ts';
import { findAttempt } from './find-attempt.ts';
import { stateOf } from './state.ts';
import { verifierOf } from './verifier.ts';

/** An attempt that has ended. It names the address to which the browser is redirected. */
export interface ConnectOutcome {
  attempt: ConnectAttempt;
  /** Null if the processor is connected. */
  failure: ConnectFailure | null;
}

/**
 * Ends an attempt with the parameters of the callback. 400 for an unknown state, and 403 in another browser than that
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
  if (attempt.expiresAt <= services.clock.passed()) return { attempt, failure: 'state_expired' };
  const { count } = await services.prisma.connectAttempt.updateMany({
    where: { id: attempt.id, usedAt: null },
    data: { usedAt: now },
  });
  if (count === 0) return { attempt, failure: 'state_used' };
  try {
    const request = {
      query,
      state: stateOf(services.config, attempt),
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
    replayed: false,
  };
  await write(writer, 'connectProcessor', async (change) => {
    await change.tx.$queryRaw(sql`
      SELECT id
      FROM processors
      WHERE id = ${id}
      FOR NO KEY UPDATE`);
    const before = await change.tx.processor.findFirstOrThrow({ where: { id, platformAccountId, partnerId, mode } });
    const secrets = { accessToken, ...(refreshToken !== null && { refreshToken }) };
    // Values of an earlier connection must not remain beside those of the new one.
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
