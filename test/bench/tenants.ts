import type pg from 'pg';
import { newSecret } from '../../src/auth/secret.ts';

/**
 * One account that owns nearly all rows, like the largest merchant of a platform, and other accounts of its partner and
 * of another partner.
 */
export interface BigTenant {
  partnerId: string;
  accountId: string;
  storeId: string;
  subKey: string;
  partnerKey: string;
  /** Sub-keys of small accounts: the same load spread over many buckets. */
  neighborKeys: string[];
}

const neighbors = 16;

/**
 * Two partners, a big account with an active plan and its neighbors. Partners have no endpoint, so they are created in
 * the database.
 */
export async function makeTenants(pool: pg.Pool): Promise<BigTenant> {
  const tenant = { partnerId: 'par_bench', accountId: 'tpa_bench', storeId: 'store_bench' };
  await pool.query(
    `INSERT INTO partners (id, slug, name, "createdAt", "updatedAt")
      SELECT id, slug, slug, now(), now()
      FROM (VALUES ('par_bench', 'bench'), ('par_other', 'other')) p(id, slug)`,
  );
  await pool.query(
    `INSERT INTO organizations ("accountId", name, kind, "partnerId", "createdAt")
      SELECT 'acc_' || id, id, 'partner_managed', id, now()
      FROM partners`,
  );
  const accounts = [tenant.accountId, ...Array.from({ length: neighbors }, (_, at) => `tpa_neighbor${at}`)];
  await addAccounts(pool, 'par_bench', accounts);
  await addAccounts(pool, 'par_other', ['tpa_other']);
  const [subKey = '', ...neighborKeys] = await Promise.all(accounts.map((id) => addKey(pool, 'par_bench', id)));
  return { ...tenant, subKey, neighborKeys, partnerKey: await addKey(pool, 'par_bench', null) };
}

async function addAccounts(pool: pg.Pool, partnerId: string, ids: readonly string[]): Promise<void> {
  await pool.query(
    `INSERT INTO processing_accounts (
        id, "partnerId", mode, "accountId", "legalName", currency, status, "kybStatus", plan,
        "createdAt", "updatedAt"
      )
      SELECT id, $1, 'test', 'acc_' || $1, 'Merchant ' || id, 'USD', 'active', 'not_started', 'premium', now(), now()
      FROM unnest($2::text[]) id`,
    [partnerId, ids],
  );
  await pool.query(
    `INSERT INTO stores (
        id, "partnerId", "platformAccountId", mode, name, "baseCurrency", "presentmentCurrencies",
        "chargeCurrencies", "createdAt", "updatedAt"
      )
      SELECT
        replace(id, 'tpa_', 'store_'), "partnerId", id, mode, 'Store of ' || id, 'USD', '{USD}',
        '{USD}', now(), now()
      FROM processing_accounts
      WHERE id = ANY($1)`,
    [ids],
  );
  await pool.query(
    `INSERT INTO processors (id, "partnerId", "platformAccountId", mode, name, type, "createdAt", "updatedAt")
      SELECT replace(id, 'tpa_', 'proc_'), "partnerId", id, mode, 'Test processor', 'test', now(), now()
      FROM processing_accounts
      WHERE id = ANY($1)`,
    [ids],
  );
}

async function addKey(pool: pg.Pool, partnerId: string, accountId: string | null): Promise<string> {
  const { secret, prefix, secretHash } = newSecret(accountId === null ? 'partner' : 'sub', 'test');
  await pool.query(
    `INSERT INTO api_keys (id, kind, mode, "partnerId", "platformAccountId", prefix, "secretHash", label, "createdAt")
      VALUES ($1, $2, 'test', $3, $4, $5, $6, 'bench', now())`,
    [`ak_${prefix.slice(-8)}`, accountId === null ? 'partner' : 'sub', partnerId, accountId, prefix, secretHash],
  );
  return secret;
}
