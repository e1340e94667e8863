import { type Caller, isApiKey } from './caller.ts';
import { isAdmin, isAuditor, isHub, isPlatformReader, isReader, isSuperadmin, type RoleHolder } from './roles.ts';

/**
 * The scopes that a root field may require. They depend on the caller and never on the arguments, so that the facade
 * can answer 401 and 403 before it reads a body, and the access matrix can be printed from the schema.
 */
export interface Scopes {
  /** Every caller, with or without a credential. Set on every field that is deliberately public. */
  public: boolean;
  /** Any API key, partner key or sub-key, unless its partner is suspended. */
  key: boolean;
  /** A partner key only, unless its partner is suspended. */
  partnerKey: boolean;
  /** Any API key of test mode, unless its partner is suspended. */
  testKey: boolean;
  /** Any API key, also of a suspended partner: to read, refund, void and cancel, which makes and takes nothing. */
  suspendedKey: boolean;
  /** As `suspendedKey`, a partner key only. */
  suspendedPartnerKey: boolean;
  /** As `suspendedKey`, a key of test mode only. */
  suspendedTestKey: boolean;
  /** Any session of a user. */
  session: boolean;
  /** Any authenticated caller: a session, or an API key, also of a suspended partner. */
  known: boolean;
  /** Sessions of superadmins. */
  superadmin: boolean;
  /** Sessions of operators who administer the platform: superadmin, hubadmin and platformpaymentAdmin. */
  hub: boolean;
  /** Sessions of internal staff to whom all partners are visible: `hub` and account managers without a partner. */
  platformStaff: boolean;
  /** Sessions that change the objects and the staff of at least one partner: `hub` and `partneradmin`. */
  admin: boolean;
  /** Sessions that read the audit log: `hub` all of it, `partneradmin` and `accountmanager` of a partner its own. */
  auditor: boolean;
  /** Sessions that may look up users: internal staff, and `partneradmin` and `accountmanager` of a partner. */
  directory: boolean;
}

/** The scopes of one kind of caller: API keys, or people. */
export type OwnScopes = Partial<Scopes>;

/** The scopes of a field. A field of keys and people has one scope of each, in `$any`. */
export type ScopeMap = OwnScopes & { $any?: OwnScopes };

/** The scopes that a caller has. */
export function scopesOf(caller: Caller): Scopes {
  const person = caller.kind === 'session' ? caller : withoutRoles;
  const key = isApiKey(caller) && caller.isSuspended === undefined ? caller : undefined;
  return {
    public: true,
    key: key !== undefined,
    partnerKey: key?.kind === 'partnerKey',
    testKey: key?.tenant.mode === 'test',
    suspendedKey: isApiKey(caller),
    suspendedPartnerKey: caller.kind === 'partnerKey',
    suspendedTestKey: isApiKey(caller) && caller.tenant.mode === 'test',
    session: caller.kind === 'session',
    known: isApiKey(caller) || caller.kind === 'session',
    superadmin: isSuperadmin(person),
    hub: isHub(person),
    platformStaff: isPlatformReader(person),
    admin: isAdmin(person),
    auditor: isAuditor(person),
    directory: isReader(person),
  };
}

const withoutRoles: RoleHolder = { platformRoles: [], whitelabelOwnership: null };

const keyScopes: ReadonlySet<string> = new Set([
  'key',
  'partnerKey',
  'testKey',
  'suspendedKey',
  'suspendedPartnerKey',
  'suspendedTestKey',
]);

/** The scopes of a field for API keys, or for people and anonymous callers. */
export function scopesFor({ $any, ...own }: ScopeMap, forKeys: boolean): OwnScopes {
  if (!$any) return own;
  return Object.fromEntries(Object.entries($any).filter(([name]) => keyScopes.has(name) === forKeys));
}

/** Whether a field accepts API keys. */
export function takesKeys(required: ScopeMap): boolean {
  return Object.keys(scopesFor(required, true)).some((name) => keyScopes.has(name));
}

/** Whether a field accepts keys of a suspended partner. */
export function takesSuspendedKeys(required: ScopeMap): boolean {
  const { suspendedKey, suspendedPartnerKey, suspendedTestKey } = scopesFor(required, true);
  return suspendedKey === true || suspendedPartnerKey === true || suspendedTestKey === true;
}

/** Whether a field accepts sessions of people. */
export function takesPeople(required: ScopeMap): boolean {
  return Object.keys(scopesFor(required, false)).some((name) => !keyScopes.has(name));
}

/** Whether a caller has the scopes of a field for its kind. An empty map allows no caller. */
export function scopesAllow(required: ScopeMap, caller: Caller): boolean {
  const held = scopesOf(caller);
  // Object.keys widens to string; the type of the map is closed
  const names = Object.keys(scopesFor(required, isApiKey(caller))) as (keyof Scopes)[];
  return names.length > 0 && names.every((name) => held[name]);
}

/**
 * Whether these are scopes of a field: one scope, or in `$any` one of API keys and one of people. With an empty map
 * scope-auth would admit every caller.
 */
export function areScopes(given: unknown): given is ScopeMap {
  const [entry, ...others] = entriesOf(given);
  if (entry === undefined || others.length > 0) return false;
  const [name, value] = entry;
  if (name !== '$any') return value === true;
  const own = entriesOf(value);
  return (
    own.length === 2 &&
    own.every(([, each]) => each === true) &&
    own.filter(([each]) => keyScopes.has(each)).length === 1
  );
}

function entriesOf(given: unknown): [string, unknown][] {
  return typeof given === 'object' && given !== null ? Object.entries(given) : [];
}
