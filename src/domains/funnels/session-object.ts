import type { FunnelSession } from '../../generated/prisma/client.ts';

/**
 * A session as the API answers it (rest/public/funnels/funnel-session.graphql), but without `url`, which contains the
 * secret that opens the session.
 */
export interface SessionObject {
  id: string;
  storeId: string;
  platformAccountId: string;
  funnelId: string;
  funnelVersion: number;
  customerId: string | null;
  currentStepId: string;
  variantId: string | null;
  status: string;
  done: boolean;
  convertedAt: Date | null;
  expiresAt: Date;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** `done` tells whether the current step has no outgoing edges. */
export function sessionObject(session: FunnelSession, done: boolean): SessionObject {
  return {
    id: session.id,
    storeId: session.storeId,
    platformAccountId: session.platformAccountId,
    funnelId: session.funnelId,
    funnelVersion: session.version,
    customerId: session.customerId,
    currentStepId: session.currentStepId,
    variantId: session.variantId,
    status: session.status,
    done,
    convertedAt: session.convertedAt,
    expiresAt: session.expiresAt,
    livemode: session.mode === 'live',
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
  };
}
