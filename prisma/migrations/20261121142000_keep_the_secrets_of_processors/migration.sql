-- AlterTable
ALTER TABLE "processors" ADD COLUMN     "connected" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "secrets" JSONB NOT NULL DEFAULT '{}';

-- Until now any option was taken and none was read, and a live processor had no place for its key: nobody can be asked there yet.
UPDATE processors SET options = '{}', connected = (type = 'test');

ALTER TABLE processors ADD CONSTRAINT processors_connected CHECK (
  jsonb_typeof(options) = 'object' AND jsonb_typeof(secrets) = 'object' AND (NOT connected OR type = 'test' OR secrets <> '{}'::jsonb));
