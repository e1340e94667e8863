import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Env } from '../env.ts';
import type { ConnectAttempt } from '../generated/prisma/client.ts';

/** What a state is signed over: it holds for this processor, account and mode, and until then. */
export type SignedAttempt = Pick<
  ConnectAttempt,
  'id' | 'processorId' | 'platformAccountId' | 'partnerId' | 'mode' | 'expiresAt'
>;

/** The state of an attempt. It is not kept, but made again from its row and a key of ours. */
export function stateOf(
  { fingerprintKey }: Pick<Env['config'], 'fingerprintKey'>,
  { id, processorId, platformAccountId, partnerId, mode, expiresAt }: SignedAttempt,
): string {
  const signed = ['connect-state', id, processorId, platformAccountId, partnerId, mode, expiresAt.toISOString()].join(
    ':',
  );
  return `${id}.${createHmac('sha256', fingerprintKey).update(signed).digest('base64url')}`;
}

/** What a state is found by: who reads the table cannot answer in its place. */
export function hashOfState(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

/** Whether this is the attempt's own state, and its row was not altered since. */
export function isStateOf(
  config: Pick<Env['config'], 'fingerprintKey'>,
  attempt: SignedAttempt,
  state: string,
): boolean {
  const [given, own] = [Buffer.from(state), Buffer.from(stateOf(config, attempt))];
  return given.length === own.length && timingSafeEqual(given, own);
}
