import { assertModeServed } from '../../auth/sandbox.ts';
import { newSecret } from '../../auth/secret.ts';
import { sql } from '../../database/sql.ts';
import { Conflict, NotFound } from '../../kit/errors.ts';
import { newId } from '../../kit/ids.ts';
import type { Mode } from '../../kit/mode.ts';
import type { Config } from '../../runtime/config.ts';
import type { Write } from '../../write/write.ts';
import type { KeyRow } from './api-key-rows.ts';

export interface PartnerKeyFacts {
  mode: Mode;
  label: string;
  expiresAt?: Date | null | undefined;
  allowedIps?: string[] | null | undefined;
}

/** A new partner key with its secret, of which only the hash is stored. */
export type IssuedPartnerKey = KeyRow & { secret: string };

/** Inserts a partner key and its audit row. The caller has checked that the key may be created. */
export async function insertPartnerKey(
  { tx, now, audit }: Pick<Write, 'tx' | 'now' | 'audit'>,
  config: Pick<Config, 'sandbox' | 'cell'>,
  partnerSlug: string,
  { mode, label, expiresAt = null, allowedIps }: PartnerKeyFacts,
): Promise<IssuedPartnerKey> {
  assertModeServed(config, mode);
  // Locked, so that the partner cannot be archived while the key is created.
  await tx.$queryRaw(sql`
    SELECT id
    FROM partners
    WHERE slug = ${partnerSlug}
    FOR SHARE`);
  const partner = await tx.partner.findUnique({ where: { slug: partnerSlug } });
  if (!partner) throw new NotFound('There is no such partner (partner_not_found).');
  if (partner.status === 'offboarded')
    throw new Conflict('partner_offboarded', 'The partner is offboarded (partner_offboarded).');
  const { secret, prefix, secretHash } = newSecret('partner', mode, config.cell);
  const key = {
    id: newId('ak_', now),
    kind: 'partner',
    mode,
    partnerId: partner.id,
    platformAccountId: null,
    prefix,
    label,
    expiresAt,
    allowedIps: allowedIps ?? [],
    createdAt: now,
  };
  const row = await tx.apiKey.create({ data: { ...key, secretHash }, omit: { secretHash: true } });
  audit({ action: 'createPartnerKey', target: key.id, after: key, mode });
  return { ...row, secret };
}
