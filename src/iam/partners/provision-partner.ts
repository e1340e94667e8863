import { type IssuedPartnerKey, insertPartnerKey } from '../../domains/keys/public.ts';
import type { Partner } from '../../generated/prisma/client.ts';
import { invalid } from '../../lib/errors.ts';
import type { Mode } from '../../lib/ids.ts';
import type { Config } from '../../settings/config.ts';
import { type Writer, write } from '../../unit-of-work/write.ts';
import { insertPartner, type NewPartner } from './partner-rows.ts';

const slugPattern = /^[a-z0-9-]{3,40}$/;

/** Creates a partner without a signed-in user: by a command, or for the demo. */
export function provisionPartner(
  context: Writer,
  { slug, name, branding }: Pick<NewPartner, 'slug' | 'name' | 'branding'>,
): Promise<Partner> {
  if (!slugPattern.test(slug)) throw invalid('slug', 'must be 3 to 40 lower-case letters, digits and hyphens');
  if (name.trim() === '' || name.length > 200) throw invalid('name', 'must have 1 to 200 characters');
  return write(context, 'createPartner', (change) => insertPartner(change, { slug, name: name.trim(), branding }));
}

/** Issues a partner key without a signed-in user. Only a hash of the secret is stored, and none of it is audited. */
export function provisionPartnerKey(
  context: Writer & { services: { config: Pick<Config, 'sandbox' | 'cell'> } },
  slug: string,
  { mode, label }: { mode: Mode; label: string },
): Promise<IssuedPartnerKey> {
  if (label.trim() === '' || label.length > 100) throw invalid('label', 'must have 1 to 100 characters');
  return write(
    context,
    'createPartnerKey',
    (change) => insertPartnerKey(change, context.services.config, slug, { mode, label: label.trim() }),
    { forReplay: (key) => ({ ...key, secret: null }) },
  );
}
