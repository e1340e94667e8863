import { type DomainError, Forbidden, NotAuthorized } from '../lib/errors.ts';
import { type Caller, isApiKey } from './caller.ts';
import { rolesFor } from './roles.ts';
import { type ScopeMap, scopesAllow, scopesFor, takesKeys, takesPeople, takesSuspendedKeys } from './scopes.ts';

/**
 * Returns the error for a caller that may not call a root field, or undefined. It is checked before the body of a
 * request is read: 401 if the credential is missing or of the wrong kind, 403 if the caller lacks the permission.
 */
export function refusalOf(required: ScopeMap, caller: Caller, isMutation: boolean): DomainError | undefined {
  if (!scopesAllow(required, caller)) return callerKindError(required, caller);
  if (isMutation && caller.kind === 'session' && caller.impersonatorId !== null) {
    return new Forbidden('impersonated_session', 'An impersonated session cannot make changes (impersonated_session).');
  }
  return undefined;
}

/**
 * Whether a call with an Idempotency-Key is rejected only because its partner is suspended. It may be the repeat of an
 * earlier call, whose stored answer remains valid: the error is left to the field, which looks for that answer first.
 */
export function mayBeRepeat(required: ScopeMap, caller: Caller, hasKey: boolean): boolean {
  if (!hasKey || !isApiKey(caller) || !caller.isSuspended) return false;
  const { isSuspended: _isSuspended, ...before } = caller;
  return scopesAllow(required, before);
}

function callerKindError(required: ScopeMap, caller: Caller): DomainError {
  if (isApiKey(caller) && caller.isSuspended && !takesSuspendedKeys(required))
    return new Forbidden(
      'partner_not_active',
      'The partner is suspended: its keys can read, refund, void, cancel and revoke keys, and nothing else.',
    );
  const [forKeys, forPeople] = [takesKeys(required), takesPeople(required)];
  if (required.known || (forKeys && forPeople && caller.kind === 'anonymous'))
    return new NotAuthorized(
      'A credential is required: sign in, or send a session token or an API key as ' +
        '"Authorization: Bearer <TOKEN>".',
    );
  if (!forPeople && !isApiKey(caller)) return new NotAuthorized();
  if (!forKeys && caller.kind !== 'session') {
    return new NotAuthorized(
      'A session of the identity provider is required: sign in, or send its token as "Authorization: Bearer ' +
        '<SESSION_JWT>". API keys are not accepted here.',
    );
  }
  const own = scopesFor(required, isApiKey(caller));
  if (caller.kind === 'session')
    return new Forbidden(
      'caller_lacks_role',
      `Your role does not allow this (caller_lacks_role). Requires the role ${rolesFor(own)}.`,
    );
  if ((own.testKey || own.suspendedTestKey) && isApiKey(caller))
    return new Forbidden('forbidden_scope', 'Only available to keys of test mode.');
  return new Forbidden(
    'forbidden_scope',
    'Not available to a ' +
      `${caller.kind === 'subKey' ? 'sub-key' : 'partner key'}.` +
      (own.partnerKey || own.suspendedPartnerKey ? ' Requires a partner key.' : ''),
  );
}
