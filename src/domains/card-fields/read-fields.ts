import { brandFields, brandOf } from '../../look/brand.ts';
import type { Services } from '../../services.ts';
import type { FrameVisitor } from './browser-files.ts';
import { type FieldsRequest, openClientSession, usedSessionError } from './open-client-session.ts';

/** What the frame shows. It comes from the session and never from the page around the frame. */
export interface FieldsView {
  storeName: string;
  amount: number | null;
  currency: string | null;
  livemode: boolean;
  expiresAt: Date;
  /** For a browser whose clock is wrong. */
  expiresInMs: number;
}

/** 410 if the session has made its token. */
export async function readFields(services: Services, from: FieldsRequest): Promise<FieldsView> {
  const { session, storeName } = await openClientSession(services, from);
  if (session.token !== null) throw usedSessionError();
  const { amount, currency, mode, expiresAt } = session;
  return {
    storeName,
    amount: amount === null ? null : Number(amount),
    currency,
    livemode: mode === 'live',
    expiresAt,
    expiresInMs: expiresAt.getTime() - services.clock.real().getTime(),
  };
}

/**
 * The origins that may frame a session's pages, also for a day after it has expired, and the brand of its partner. No
 * origin without such a session.
 */
export async function readFraming(
  { prisma }: Pick<Services, 'prisma'>,
  id: string,
): Promise<Pick<FrameVisitor, 'origins' | 'brand'>> {
  const found = /^cs_[0-9A-Za-z]{22}$/.test(id)
    ? await prisma.clientSession.findUnique({
        where: { id },
        select: {
          origins: true,
          store: { select: { account: { select: { partner: { select: brandFields } } } } },
        },
      })
    : null;
  return found ? { origins: found.origins, brand: brandOf(found.store.account.partner) } : { origins: [], brand: null };
}
