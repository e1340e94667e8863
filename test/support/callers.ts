import { anonymous, type Caller, isApiKey } from '../../src/auth/caller.ts';
import { type ScopeMap, scopesAllow, takesKeys, takesPeople } from '../../src/auth/scopes.ts';

const key = { keyId: 'ak_1', keyPrefix: 'tp_sk_test_1' } as const;
const tenant = { partnerId: 'par_1', mode: 'test' } as const;

/** One person for each distinction the static scopes make; platformpaymentAdmin is an older name of hubadmin. */
export const sessions = {
  superadmin: { platformRoles: ['superadmin'], isScoped: false },
  hubadmin: { platformRoles: ['hubadmin'], isScoped: false },
  accountmanager: { platformRoles: ['accountmanager'], isScoped: false },
  partneradmin: { platformRoles: ['partneradmin'], isScoped: true },
  partnerManager: { platformRoles: ['accountmanager'], isScoped: true },
  partnerstaff: { platformRoles: ['partnerstaff'], isScoped: true },
  merchant: { platformRoles: [], isScoped: false },
} as const;
export const keyKinds = ['anonymous', 'subKey', 'partnerKey'] as const;
export const sessionKinds = [
  'superadmin',
  'hubadmin',
  'accountmanager',
  'partneradmin',
  'partnerManager',
  'partnerstaff',
  'merchant',
] as const satisfies readonly (keyof typeof sessions)[];
export const kinds = [...keyKinds, ...sessionKinds];

export type KeyKind = (typeof keyKinds)[number];
export type SessionKind = (typeof sessionKinds)[number];
export type Kind = KeyKind | SessionKind;

/** The person of a kind, as the policy of people takes it; those with a scope belong to the partner `acme`. */
export function personOf(kind: SessionKind) {
  const { platformRoles, isScoped } = sessions[kind];
  return {
    userId: 'user_1',
    email: 'person@example.com',
    platformRoles,
    whitelabelOwnership: isScoped ? 'acme' : null,
  };
}

export function callerOf(kind: Kind): Caller {
  if (kind === 'anonymous') return anonymous;
  if (kind === 'subKey') return { kind, ...key, tenant: { ...tenant, platformAccountId: 'tpa_1' } };
  if (kind === 'partnerKey') return { kind, ...key, tenant };
  const person = personOf(kind);
  return {
    kind: 'session',
    ...person,
    sessionId: 'sess_1',
    impersonatorId: null,
    partnerId: person.whitelabelOwnership === null ? null : 'par_1',
  };
}

/** The status that follows from the static scopes alone. */
export function expectedOf(scopes: ScopeMap, kind: Kind): 200 | 401 | 403 {
  const caller = callerOf(kind);
  if (scopesAllow(scopes, caller)) return 200;
  // A credential of the wrong kind counts as none: a session where an API key is required, and vice versa.
  return kind !== 'anonymous' && (isApiKey(caller) ? takesKeys(scopes) : takesPeople(scopes)) ? 403 : 401;
}
