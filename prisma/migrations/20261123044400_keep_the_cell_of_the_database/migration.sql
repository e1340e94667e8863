CREATE SCHEMA cells;

-- The cell whose data this is, as of the first start. Its keys carry the tag, so it never changes.
CREATE TABLE cells.own (
  "isOwn" boolean PRIMARY KEY DEFAULT true CHECK ("isOwn"),
  tag text NOT NULL CHECK (tag ~ '^[0-9a-z]{0,2}$')
);

-- Keys of earlier versions have no tag.
INSERT INTO cells.own (tag)
SELECT ''
WHERE EXISTS (SELECT FROM partners);

CREATE TRIGGER own_cell_stays BEFORE UPDATE OR DELETE ON cells.own
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
