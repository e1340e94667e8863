import type { Mode } from '../kit/mode.ts';

interface KeyCaller {
  keyId: string;
  /** The public part of the key: kind prefix and eight characters. */
  keyPrefix: string;
  mode: Mode;
  partnerId: string;
}

/** A partner key: provisions accounts, and reaches every account of its partner in its mode. */
export interface PartnerKeyCaller extends KeyCaller {
  kind: 'partnerKey';
}

/** A sub-key: reaches one processing account. */
export interface SubKeyCaller extends KeyCaller {
  kind: 'subKey';
  platformAccountId: string;
}

export type ApiKeyCaller = PartnerKeyCaller | SubKeyCaller;

export interface AnonymousCaller {
  kind: 'anonymous';
}

/** Who is asking. Every operation of the graph has exactly one. */
export type Caller = ApiKeyCaller | AnonymousCaller;

export const anonymous: AnonymousCaller = { kind: 'anonymous' };

export function isApiKey(caller: Caller): caller is ApiKeyCaller {
  return caller.kind === 'partnerKey' || caller.kind === 'subKey';
}
