import { createHash, timingSafeEqual } from 'node:crypto';
import type { ConnectAttempt } from '../../generated/prisma/client.ts';
import { keyedHash } from '../../kit/derived-key.ts';
import type { Services } from '../../services.ts';

/** The fields that a state signs: it is valid for one processor, account and mode, until it expires. */
export type SignedAttempt = Pick<
  ConnectAttempt,
  'id' | 'processorId' | 'platformAccountId' | 'partnerId' | 'mode' | 'expiresAt'
>;

/** The state of an attempt. It is not stored but computed from the row and the platform's key. */
export function stateOf(
  { fingerprintKey }: Pick<Services['config'], 'fingerprintKey'>,
  { id, processorId, platformAccountId, partnerId, mode, expiresAt }: SignedAttempt,
): string {
  const signed = ['connect-state', id, processorId, platformAccountId, partnerId, mode, expiresAt.toISOString()].join(
    ':',
  );
  return `${id}.${keyedHash(fingerprintKey, 'connect-state', signed)}`;
}

/** The hash by which a state is found, so that the table does not contain the states themselves. */
export function hashOfState(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

/** Whether a state belongs to the attempt and the attempt's row has not been altered since. */
export function isStateOf(
  config: Pick<Services['config'], 'fingerprintKey'>,
  attempt: SignedAttempt,
  state: string,
): boolean {
  const [given, own] = [Buffer.from(state), Buffer.from(stateOf(config, attempt))];
  return given.length === own.length && timingSafeEqual(given, own);
}
