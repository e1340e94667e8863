import { type Caller, isApiKey } from './caller.ts';
import { isHub, isPlatformReader, isReader, isStaffManager, isSuperadmin, type RoleHolder } from './roles.ts';

/**
 * The kinds of caller a root field may name. They are static: they look at who asks and never at the arguments, so that the
 * facade can answer 401 and 403 before it reads a body, and the access matrix can be printed from the schema.
 */
export interface Scopes {
  /** Anybody, with or without a credential. Written out on every field that is deliberately open. */
  public: boolean;
  /** Any API key, partner key or sub-key. */
  key: boolean;
  /** A partner key only. */
  partnerKey: boolean;
  /** Any API key of test mode. */
  testKey: boolean;
  /** Any session of a person. */
  session: boolean;
  /** Anybody we know: a session or an API key. */
  known: boolean;
  /** Sessions of superadmins. */
  superadmin: boolean;
  /** Sessions that run the platform: superadmin, hubadmin and platformpaymentAdmin. */
  hub: boolean;
  /** Sessions of internal staff that see the whole platform: the same and unscoped account managers. */
  platformStaff: boolean;
  /** Sessions that manage some partner's roster: hub, and a partner's own partneradmin. */
  roster: boolean;
  /** Sessions that may look people up: all of internal staff, and a partner's own partneradmin and accountmanager. */
  directory: boolean;
}

export type ScopeMap = Partial<Scopes>;

/** What a caller of each kind holds. */
export function scopesOf(caller: Caller): Scopes {
  const person = caller.kind === 'session' ? caller : nobody;
  return {
    public: true,
    key: isApiKey(caller),
    partnerKey: caller.kind === 'partnerKey',
    testKey: isApiKey(caller) && caller.mode === 'test',
    session: caller.kind === 'session',
    known: caller.kind !== 'anonymous',
    superadmin: isSuperadmin(person),
    hub: isHub(person),
    platformStaff: isPlatformReader(person),
    roster: isStaffManager(person),
    directory: isReader(person),
  };
}

const nobody: RoleHolder = { platformRoles: [], whitelabelOwnership: null };

/** Whether a caller meets every scope of a root field (`defaultStrategy: 'all'`). An empty map allows nobody. */
export function scopesAllow(required: ScopeMap, caller: Caller): boolean {
  const held = scopesOf(caller);
  const names = Object.keys(required) as (keyof Scopes)[]; // Object.keys widens to string; the type of the map is closed
  return names.length > 0 && names.every((name) => held[name]);
}
