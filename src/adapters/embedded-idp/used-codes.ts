import type { Engine } from './engine.ts';

/** A code is taken in its own period, the one before it and the one after it. */
export const totpPeriodS = 30;

/** Takes a code of an authenticator app; false if it was taken before. A code that was read over a shoulder is used. */
export async function takeCode(engine: Engine, userId: string, code: string): Promise<boolean> {
  const { internalAdapter } = await engine.$context;
  const identifier = `used-code/${userId}/${code}`;
  // A look-up deletes what has expired, so that the same code can be taken again once it comes up by chance.
  await internalAdapter.findVerificationValue(identifier);
  const expiresAt = new Date(Date.now() + 4 * totpPeriodS * 1000);
  return internalAdapter.reserveVerificationValue({ identifier, value: 'used', expiresAt });
}
