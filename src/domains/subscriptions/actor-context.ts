import type { Services } from '../../services.ts';
import type { Actor } from '../../write/records.ts';

/** The actor of a change, as its events and audit rows name it. */
export interface ActorContext {
  services: Services;
  actor: Actor;
  requestId: string;
  ip: string;
  /** As of a `Writer`. */
  tenant?: string | null;
}

export function writerOf({ services, actor, requestId, ip, tenant = null }: ActorContext) {
  return { services, actor, requestId, ip, tenant, idempotency: null, replayed: false };
}
