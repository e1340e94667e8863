-- Every call moves `at`, so an index on it made each of these updates write an index entry, too, and leave a dead one: only half of
-- them were HOT. The table has one row a key; the sweep that reads it once a second reads all of it.
DROP INDEX limits.key_uses_at;
