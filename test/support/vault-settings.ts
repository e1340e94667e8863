import { asServerRole } from '../../src/local/postgres-programs.ts';

/** The settings of a vault with a database and a role of its own. */
export function vaultSettingsOf(vaultUrl: string): {
  VAULT_DATABASE_URL: string;
  VAULT_MIGRATION_DATABASE_URL: string;
} {
  const role = new URL(asServerRole(vaultUrl));
  role.username = 'platform_vault';
  return { VAULT_DATABASE_URL: role.href, VAULT_MIGRATION_DATABASE_URL: vaultUrl };
}
