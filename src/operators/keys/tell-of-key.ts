import type { ApiKey, Partner } from '../../generated/prisma/client.ts';
import { tellAdmins } from '../../iam/public.ts';
import type { Services } from '../../services.ts';

/** Tells the admins of a partner and the superadmins of a new partner key. */
export function tellOfKey(
  services: Services,
  { slug, name }: Pick<Partner, 'slug' | 'name'>,
  { label, mode }: Pick<ApiKey, 'label' | 'mode'>,
): Promise<void> {
  return tellAdmins(services, 'partnerKey', { slug }, (words) => ({
    subject: words.text('mail.partnerKey', { partner: name }),
    lead: words.text('mail.partnerKey.lead', { partner: name, label, mode }),
    action: { label: words.text('mail.partnerKey.action'), path: `/console/${mode}/api-keys` },
    notes: [words.text('mail.partnerKey.note')],
  }));
}
