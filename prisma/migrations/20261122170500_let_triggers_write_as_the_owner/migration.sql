-- A server's role owns no table (src/database/server-role.ts). What only triggers write, they write as the owner.
ALTER FUNCTION ledger.check_and_sum() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION audit.hash_of(audit_rows) SET search_path = pg_catalog, pg_temp;
ALTER FUNCTION audit.chain_row() SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
