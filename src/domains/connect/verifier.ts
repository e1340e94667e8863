import type { ConnectAttempt } from '../../generated/prisma/client.ts';
import { parseKeyRing } from '../../kit/encryption/key-ring.ts';
import { decryptSecret } from '../../kit/encryption/secrets.ts';
import type { Services } from '../../services.ts';

/** The PKCE code verifier of an attempt. */
export function verifierOf(
  { vaultKeys }: Pick<Services['config'], 'vaultKeys'>,
  { id, verifier }: ConnectAttempt,
): string {
  return decryptSecret(parseKeyRing(vaultKeys), verifier, contextOf(id));
}

export function contextOf(attemptId: string): string {
  return `connect:${attemptId}`;
}
