-- A text filter is case-insensitive in every script. What lower() does depends on the locale a database was made with (in "C" it
-- knows 26 letters), so the collation is named: the built-in one where there is one (PostgreSQL 17), else ICU's.
DO $$
DECLARE
  best text := (SELECT collname FROM pg_collation WHERE collname IN ('pg_c_utf8', 'und-x-icu') AND collencoding IN (-1, 6) ORDER BY collname = 'pg_c_utf8' DESC LIMIT 1);
BEGIN
  EXECUTE format('CREATE FUNCTION lowered(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN lower($1%s)',
    CASE WHEN best IS NULL THEN '' ELSE format(' COLLATE %I', best) END);
END $$;
