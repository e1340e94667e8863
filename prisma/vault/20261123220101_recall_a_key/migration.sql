-- recalled: a former key that may be the first one again. What is older goes on to need it, as it needs a former one.
ALTER TABLE keys.checks DROP CONSTRAINT checks_state_check;
ALTER TABLE keys.checks ADD CONSTRAINT checks_state_check
  CHECK (state IN ('announced', 'first', 'former', 'recalled', 'lost'));
