import type { Brand } from '../../look/brand.ts';
import type { Services } from '../../services.ts';
import { brandOfStore } from '../stores/public.ts';
import { tokenHashOf } from './checkout-token.ts';
import { hasPage } from './enter-funnel.ts';

/** What an address of a checkout names: the URL of a funnel, a session by its token, or one by its id. */
export interface VisitAddress {
  funnelId?: string | undefined;
  token?: string | undefined;
  sessionId?: string | undefined;
}

/** Whose checkout a visitor sees that cannot be opened, and where another begins. */
export interface VisitPlace {
  brand: Brand | null;
  /** The funnel at whose URL another session begins. Null if it was deleted or has no page. */
  funnelId: string | null;
}

/** Null if the address names nothing that was ever there. */
export async function readVisitPlace(
  services: Pick<Services, 'prisma'>,
  { funnelId, token, sessionId }: VisitAddress,
): Promise<VisitPlace | null> {
  const { prisma } = services;
  const fields = { storeId: true, funnelId: true } as const;
  const session =
    token !== undefined
      ? await prisma.funnelSession.findUnique({ where: { tokenHash: tokenHashOf(token) }, select: fields })
      : sessionId !== undefined
        ? await prisma.funnelSession.findUnique({ where: { id: safeId(sessionId) }, select: fields })
        : null;
  const id = session?.funnelId ?? funnelId;
  const funnel = id === undefined ? null : await prisma.funnel.findUnique({ where: { id: safeId(id) } });
  const storeId = session?.storeId ?? funnel?.storeId;
  if (storeId === undefined) return null;
  return { brand: await brandOfStore(services, storeId), funnelId: funnel && hasPage(funnel) ? funnel.id : null };
}

/** A path may contain any character. Some of them the database rejects. */
function safeId(id: string): string {
  return /^\w{1,80}$/.test(id) ? id : '';
}
