import type { Mode } from '../kit/mode.ts';
import type { Services } from '../services.ts';
import { createContext, type KeyContext } from './context.ts';

/** A request of a browser that has no key: a session of a merchant opens what it may do. */
export interface VisitorRequest {
  requestId: string;
  ip: string;
}

/** The context of a visitor: a caller limited to the account of a session, with the visitor as actor. */
export function visitorContext(
  services: Services,
  {
    id,
    partnerId,
    platformAccountId,
    mode,
  }: { id: string; partnerId: string; platformAccountId: string; mode: string },
  from: VisitorRequest,
): KeyContext {
  const caller = {
    kind: 'subKey',
    keyId: id,
    keyPrefix: '',
    mode: mode as Mode, // a CHECK constraint limits the column to the two modes
    partnerId,
    platformAccountId,
  } as const;
  return { ...createContext({ services, caller, ...from }), caller, actor: { kind: 'visitor', id } };
}
