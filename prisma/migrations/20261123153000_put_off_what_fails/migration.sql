-- Due rows that a job has taken: until when it leaves them alone, longer after each failure. Not logged: after a crash
-- of the database all of them are tried again.
CREATE UNLOGGED TABLE limits.put_off (
  job text NOT NULL,
  id text NOT NULL,
  attempts integer NOT NULL,
  until timestamptz(3) NOT NULL,
  PRIMARY KEY (job, id)
);
