-- CreateTable
CREATE TABLE "partner_logos" (
    "partnerId" TEXT NOT NULL,
    "file" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "partner_logos_pkey" PRIMARY KEY ("partnerId")
);

-- CreateIndex
CREATE INDEX "partner_logos_file_idx" ON "partner_logos"("file");

-- AddForeignKey
ALTER TABLE "partner_logos" ADD CONSTRAINT "partner_logos_partnerId_fkey" FOREIGN KEY ("partnerId") REFERENCES "partners"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE partner_logos ADD CONSTRAINT partner_logos_values CHECK (
  file ~ '^[0-9a-f]{64}-[0-9]{2,4}x[0-9]{2,4}\.(png|jpg|webp)$'
  AND octet_length(content) BETWEEN 1 AND 32768
);
