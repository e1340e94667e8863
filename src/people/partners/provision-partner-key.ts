import { type IssuedPartnerKey, insertPartnerKey } from '../../domains/keys/public.ts';
import { invalid } from '../../kit/errors.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Config } from '../../runtime/config.ts';
import { type Writer, write } from '../../write/write.ts';

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
