import { takesKeys } from '../../src/auth/scopes.ts';
import type { Surface } from '../surfaces.ts';
import type { Endpoint } from './endpoint.ts';
import type { JsonSchema } from './openapi-schemas.ts';

/** The credentials of a document, by the name that its operations use. */
export const securitySchemes: Readonly<Record<Surface['credential'], JsonSchema>> = {
  apiKey: {
    partnerKey: {
      type: 'http',
      scheme: 'bearer',
      description: "A partner key, `tp_sk_partner_…`. It acts for all the partner's accounts of its mode.",
    },
    subKey: { type: 'http', scheme: 'bearer', description: 'A sub-key, `tp_sk_…`. It acts for one account.' },
  },
  session: {
    session: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A token of the session of a signed-in person, valid for 60 seconds. A browser sends its cookie instead.',
    },
  },
};

/** Which of them an operation takes. */
export function securityOf({ scopes }: Endpoint, { credential }: Surface): JsonSchema[] {
  if (credential === 'session' || !takesKeys(scopes)) return [{ session: [] }];
  return scopes.partnerKey ? [{ partnerKey: [] }] : [{ partnerKey: [] }, { subKey: [] }];
}

/** Who may call an operation, as a sentence of its description. */
export function callersOf({ scopes }: Endpoint, { credential }: Surface): string {
  if (credential === 'session') return peopleOf(scopes);
  if (scopes.testKey)
    return 'Requires a partner key or a sub-key of test mode. Keys of live mode get 403 `forbidden_scope`.';
  if (scopes.suspendedKey) return 'Requires a partner key or a sub-key. Open also while the partner is suspended.';
  return scopes.partnerKey ? 'Requires a partner key.' : 'Requires a partner key or a sub-key.';
}

function peopleOf(scopes: Endpoint['scopes']): string {
  if (scopes.superadmin) return 'Requires the role superadmin.';
  if (scopes.hub) return 'Requires the role superadmin, hubadmin or platformpaymentAdmin.';
  if (scopes.platformStaff)
    return 'Requires the role superadmin, hubadmin or platformpaymentAdmin, or accountmanager without a partner.';
  if (scopes.roster) return 'Requires the role superadmin, hubadmin, platformpaymentAdmin or partneradmin.';
  if (scopes.directory) return 'Requires a role of internal staff, or partneradmin or accountmanager of a partner.';
  return 'Requires a signed-in person.';
}
