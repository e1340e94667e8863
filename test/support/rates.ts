import { asOwner } from './database.ts';
import type { TestPlatform } from './platform.ts';

/** Keeps all buckets full and the limits of fields and persons unused, for tests that send many calls and are not about limits. */
export async function disableRateLimits(platform: Pick<TestPlatform, 'databaseUrl'>): Promise<void> {
  await asOwner(
    platform,
    `
    CREATE OR REPLACE FUNCTION limits.keep_full() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.tokens := NEW.burst;
      NEW.allowed := true;
      RETURN NEW;
    END $$;
    CREATE OR REPLACE FUNCTION limits.keep_unused() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.calls := 1;
      RETURN NEW;
    END $$;
    CREATE OR REPLACE FUNCTION limits.keep_none() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.calls := '{}';
      RETURN NEW;
    END $$;
    CREATE TRIGGER buckets_stay_full
      BEFORE INSERT OR UPDATE ON limits.buckets
      FOR EACH ROW
      EXECUTE FUNCTION limits.keep_full();
    CREATE TRIGGER windows_stay_unused
      BEFORE INSERT OR UPDATE ON limits.windows
      FOR EACH ROW
      WHEN (NEW.subject !~ '/(address|link|session)/')
      EXECUTE FUNCTION limits.keep_unused();
    CREATE TRIGGER field_calls_stay_unused
      BEFORE INSERT OR UPDATE ON limits.field_calls
      FOR EACH ROW
      EXECUTE FUNCTION limits.keep_none();`,
  );
}
