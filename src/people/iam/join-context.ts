import type { IdpUser } from '../../ports/identity-provider.ts';
import type { Services } from '../../services.ts';
import type { Writer } from '../../write/write.ts';

/** The origin of an acceptance: a request of the user, or a message of the provider. */
export interface JoinContext {
  services: Services;
  requestId: string;
  ip: string | null;
}

/** The acceptance as a write of the user, or of an anonymous caller without an account. */
export function writerOf(
  { services, requestId, ip }: JoinContext,
  { id, email }: Pick<IdpUser, 'id' | 'email'>,
): Writer {
  return {
    services,
    actor: { kind: id === 'anonymous' ? id : 'user', id, email },
    requestId,
    ip,
    idempotency: null,
    replayed: false,
  };
}
