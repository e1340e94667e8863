-- Views of the console's lists that users save under a name.
CREATE TABLE saved_views (
  id text NOT NULL,
  "ownerId" text NOT NULL,
  "partnerId" text,
  list text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  "isShared" boolean NOT NULL,
  "createdAt" timestamptz(3) NOT NULL,
  "updatedAt" timestamptz(3) NOT NULL,
  CONSTRAINT saved_views_pkey PRIMARY KEY (id),
  CONSTRAINT "saved_views_ownerId_fkey" FOREIGN KEY ("ownerId") REFERENCES iam_users ("idpUserId") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "saved_views_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES partners (id) ON DELETE RESTRICT ON UPDATE RESTRICT
);
CREATE UNIQUE INDEX "saved_views_ownerId_list_name_key" ON saved_views ("ownerId", list, name);
CREATE INDEX "saved_views_list_partnerId_name_id_idx" ON saved_views (list, "partnerId", name, id);
