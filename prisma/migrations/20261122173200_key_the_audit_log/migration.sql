-- AlterTable
ALTER TABLE "audit_rows" ADD COLUMN     "keyId" TEXT;

-- A row's hash is an HMAC with a key of the row, which a server derives from a key that is not in the database. The server sends the two
-- padded blocks of that key in place of the hash, and they are not stored: who reads or writes the database can make no hash, and who
-- watched one row being written could make only the hash of that row. `npm run audit:verify` builds the same text on its own.
CREATE FUNCTION audit.keyed_hash_of(r public.audit_rows, blocks bytea) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT encode(sha256(substr(blocks, 65, 64) || sha256(substr(blocks, 1, 64) || convert_to(jsonb_build_array(
    r."previousHash", r.sequence, r.id, to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    r."actorKind", r."actorId", r."actorEmail", r.action, r.target, r.before, r.after, r.outcome, r.reason, r."requestId", r.ip, r."keyId")::text, 'UTF8'))), 'hex')
$$;

CREATE OR REPLACE FUNCTION audit.chain_row() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  blocks bytea;
BEGIN
  IF NEW."keyId" IS NULL OR NEW.hash IS NULL OR length(NEW.hash) <> 256 OR NEW.hash !~ '^[0-9a-f]+$' THEN
    RAISE EXCEPTION 'an audit row is written with the key of a server' USING ERRCODE = 'check_violation';
  END IF;
  blocks := decode(NEW.hash, 'hex');
  UPDATE audit.head SET sequence = sequence + 1 RETURNING sequence, hash INTO NEW.sequence, NEW."previousHash";
  NEW.hash := audit.keyed_hash_of(NEW, blocks);
  UPDATE audit.head SET hash = NEW.hash;
  RETURN NEW;
END $$;
