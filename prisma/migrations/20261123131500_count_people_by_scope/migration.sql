-- How many people the mirror has: all of them, internal staff, and those of each partner. A page of the list of users counted
-- every row for its total. Kept in the transaction that changes people, in several rows chosen by connection, as row_counts is.
CREATE TABLE counters.user_counts (
  kind text NOT NULL CHECK (kind IN ('all', 'internal', 'partner')),
  -- The partner's slug; empty for the other kinds.
  slug text NOT NULL,
  shard smallint NOT NULL,
  n bigint NOT NULL,
  PRIMARY KEY (kind, slug, shard)
) WITH (fillfactor = 50);

-- The counts that a person is part of: none once deleted.
CREATE FUNCTION counters.counts_of_user(roles text[], ownership text, "deletedAt" timestamptz)
RETURNS TABLE (kind text, slug text) LANGUAGE sql IMMUTABLE AS $$
  SELECT c.kind, c.slug
  FROM (VALUES
    ('all', '', true),
    ('internal', '', ownership IS NULL AND roles <> '{}'),
    ('partner', ownership, ownership IS NOT NULL)
  ) c (kind, slug, counts)
  WHERE c.counts AND "deletedAt" IS NULL
$$;

-- Always in one order, so that two transactions that change several counts wait for each other and do not deadlock.
CREATE FUNCTION counters.count_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO counters.user_counts AS c
    SELECT k.kind, k.slug, pg_backend_pid() % 32, count(*)
      FROM added u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
      GROUP BY k.kind, k.slug
      ORDER BY k.kind, k.slug
    ON CONFLICT (kind, slug, shard) DO UPDATE SET n = c.n + excluded.n;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO counters.user_counts AS c
    SELECT k.kind, k.slug, pg_backend_pid() % 32, -count(*)
      FROM removed u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
      GROUP BY k.kind, k.slug
      ORDER BY k.kind, k.slug
    ON CONFLICT (kind, slug, shard) DO UPDATE SET n = c.n + excluded.n;
  ELSE
    INSERT INTO counters.user_counts AS c
    SELECT k.kind, k.slug, pg_backend_pid() % 32, sum(u.n)
      FROM (
        SELECT "platformRoles", "whitelabelOwnership", "deletedAt", 1 AS n FROM added
        UNION ALL
        SELECT "platformRoles", "whitelabelOwnership", "deletedAt", -1 FROM removed
      ) u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
      GROUP BY k.kind, k.slug
      HAVING sum(u.n) <> 0
      ORDER BY k.kind, k.slug
    ON CONFLICT (kind, slug, shard) DO UPDATE SET n = c.n + excluded.n;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER users_added AFTER INSERT ON iam_users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION counters.count_users();
CREATE TRIGGER users_changed AFTER UPDATE ON iam_users REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_users();
CREATE TRIGGER users_removed AFTER DELETE ON iam_users REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_users();

-- The triggers hold the table: nobody is added between them and this.
INSERT INTO counters.user_counts
SELECT k.kind, k.slug, 0, count(*)
  FROM iam_users u, counters.counts_of_user(u."platformRoles", u."whitelabelOwnership", u."deletedAt") k
  GROUP BY k.kind, k.slug;

ALTER TABLE counters.user_counts SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Internal staff are few among the people who own merchants.
CREATE INDEX iam_users_internal ON iam_users ("createdAt" DESC, "idpUserId" DESC)
  WHERE "deletedAt" IS NULL AND "whitelabelOwnership" IS NULL AND "platformRoles" <> '{}';
