-- When the last backup was taken, which the metrics show. A restored database has the time of the backup before.
CREATE SCHEMA operating;
CREATE TABLE operating.last_backup (
  "onlyRow" boolean DEFAULT true NOT NULL,
  "takenAt" timestamptz(3) NOT NULL,
  CONSTRAINT last_backup_only_row_check CHECK ("onlyRow"),
  CONSTRAINT last_backup_pkey PRIMARY KEY ("onlyRow")
);
