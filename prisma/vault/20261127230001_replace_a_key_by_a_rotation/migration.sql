-- known: recorded, and encrypts nothing yet. used: has encrypted. replaced: another key has its place after a rotation.
-- retired: an operator does without it.
ALTER TABLE keys.checks DROP CONSTRAINT checks_state_check;
UPDATE keys.checks
SET state = CASE state
  WHEN 'announced' THEN 'known'
  WHEN 'former' THEN 'replaced'
  WHEN 'lost' THEN 'retired'
  ELSE 'used'
END;
ALTER TABLE keys.checks ADD CONSTRAINT checks_state_check
  CHECK (state IN ('known', 'used', 'replaced', 'retired'));
