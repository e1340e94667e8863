import type { Services } from '../../services.ts';
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

/** The origins that may frame a session's pages, also for a day after it has expired. None without such a session. */
export async function framingOrigins({ prisma }: Pick<Services, 'prisma'>, id: string): Promise<readonly string[]> {
  const found = /^cs_[0-9A-Za-z]{22}$/.test(id)
    ? await prisma.clientSession.findUnique({ where: { id }, select: { origins: true } })
    : null;
  return found?.origins ?? [];
}
