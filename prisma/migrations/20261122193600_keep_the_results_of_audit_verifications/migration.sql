-- CreateTable
CREATE TABLE "audit_verifications" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "by" TEXT NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "rows" BIGINT NOT NULL,
    "anchors" INTEGER NOT NULL,
    "problem" TEXT,

    CONSTRAINT "audit_verifications_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_verifications_at_id_idx" ON "audit_verifications"("at" DESC, "id" DESC);

ALTER TABLE audit_verifications ADD CONSTRAINT audit_verifications_problem CHECK (ok = (problem IS NULL));

CREATE TRIGGER audit_verifications_stay BEFORE UPDATE OR DELETE ON audit_verifications FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_verifications_are_not_emptied BEFORE TRUNCATE ON audit_verifications FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
