-- CreateTable
CREATE TABLE "plugin_deployments" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "manifest" JSON NOT NULL,
    "presets" JSON NOT NULL DEFAULT '{}',
    "schema" JSON,
    "uiSchema" JSON,
    "assetCount" INTEGER NOT NULL,
    "assetBytes" INTEGER NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugin_deployments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plugin_assets" (
    "deploymentId" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "contentType" TEXT NOT NULL,
    "size" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,

    CONSTRAINT "plugin_assets_pkey" PRIMARY KEY ("deploymentId","path")
);

-- CreateTable
CREATE TABLE "plugin_blobs" (
    "platformAccountId" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugin_blobs_pkey" PRIMARY KEY ("platformAccountId","sha256")
);

-- CreateTable
CREATE TABLE "plugin_instances" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "storeId" TEXT NOT NULL,
    "deploymentId" TEXT NOT NULL,
    "pluginId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "config" JSON NOT NULL,
    "configVersion" INTEGER NOT NULL,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,
    "updatedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugin_instances_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plugin_configurations" (
    "id" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "deploymentInstanceId" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "config" JSON NOT NULL,
    "reason" TEXT NOT NULL,
    "rolledBackTo" INTEGER,
    "actorKind" TEXT NOT NULL,
    "actorId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugin_configurations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plugin_mounts" (
    "storeId" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "basePath" TEXT NOT NULL,
    "partnerId" TEXT NOT NULL,
    "platformAccountId" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "deploymentInstanceId" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "plugin_mounts_pkey" PRIMARY KEY ("storeId","alias","basePath")
);

-- CreateIndex
CREATE INDEX "plugin_deployments_platformAccountId_createdAt_id_idx" ON "plugin_deployments"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_deployments_partnerId_mode_createdAt_id_idx" ON "plugin_deployments"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_deployments_storeId_createdAt_id_idx" ON "plugin_deployments"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_deployments_platformAccountId_name_id_idx" ON "plugin_deployments"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "plugin_deployments_partnerId_mode_name_id_idx" ON "plugin_deployments"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_deployments_platformAccountId_pluginId_version_key" ON "plugin_deployments"("platformAccountId", "pluginId", "version");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_deployments_id_platformAccountId_partnerId_mode_key" ON "plugin_deployments"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE INDEX "plugin_assets_platformAccountId_sha256_idx" ON "plugin_assets"("platformAccountId", "sha256");

-- CreateIndex
CREATE INDEX "plugin_instances_platformAccountId_createdAt_id_idx" ON "plugin_instances"("platformAccountId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_instances_partnerId_mode_createdAt_id_idx" ON "plugin_instances"("partnerId", "mode", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_instances_storeId_createdAt_id_idx" ON "plugin_instances"("storeId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_instances_deploymentId_createdAt_id_idx" ON "plugin_instances"("deploymentId", "createdAt" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "plugin_instances_platformAccountId_name_id_idx" ON "plugin_instances"("platformAccountId", "name", "id");

-- CreateIndex
CREATE INDEX "plugin_instances_partnerId_mode_name_id_idx" ON "plugin_instances"("partnerId", "mode", "name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_instances_id_platformAccountId_partnerId_mode_key" ON "plugin_instances"("id", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_instances_id_storeId_platformAccountId_partnerId_mod_key" ON "plugin_instances"("id", "storeId", "platformAccountId", "partnerId", "mode");

-- CreateIndex
CREATE UNIQUE INDEX "plugin_configurations_deploymentInstanceId_version_key" ON "plugin_configurations"("deploymentInstanceId", "version");

-- CreateIndex
CREATE INDEX "plugin_mounts_deploymentInstanceId_idx" ON "plugin_mounts"("deploymentInstanceId");

-- AddForeignKey
ALTER TABLE "plugin_deployments" ADD CONSTRAINT "plugin_deployments_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_deployments" ADD CONSTRAINT "plugin_deployments_storeId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_assets" ADD CONSTRAINT "plugin_assets_deploymentId_platformAccountId_partnerId_mod_fkey" FOREIGN KEY ("deploymentId", "platformAccountId", "partnerId", "mode") REFERENCES "plugin_deployments"("id", "platformAccountId", "partnerId", "mode") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_assets" ADD CONSTRAINT "plugin_assets_platformAccountId_sha256_fkey" FOREIGN KEY ("platformAccountId", "sha256") REFERENCES "plugin_blobs"("platformAccountId", "sha256") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_blobs" ADD CONSTRAINT "plugin_blobs_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("platformAccountId", "partnerId", "mode") REFERENCES "processing_accounts"("id", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_instances" ADD CONSTRAINT "plugin_instances_storeId_platformAccountId_partnerId_mode_fkey" FOREIGN KEY ("storeId", "platformAccountId", "partnerId", "mode") REFERENCES "stores"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_instances" ADD CONSTRAINT "plugin_instances_deploymentId_platformAccountId_partnerId__fkey" FOREIGN KEY ("deploymentId", "platformAccountId", "partnerId", "mode") REFERENCES "plugin_deployments"("id", "platformAccountId", "partnerId", "mode") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_configurations" ADD CONSTRAINT "plugin_configurations_deploymentInstanceId_platformAccount_fkey" FOREIGN KEY ("deploymentInstanceId", "platformAccountId", "partnerId", "mode") REFERENCES "plugin_instances"("id", "platformAccountId", "partnerId", "mode") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "plugin_mounts" ADD CONSTRAINT "plugin_mounts_deploymentInstanceId_storeId_platformAccount_fkey" FOREIGN KEY ("deploymentInstanceId", "storeId", "platformAccountId", "partnerId", "mode") REFERENCES "plugin_instances"("id", "storeId", "platformAccountId", "partnerId", "mode") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE plugin_deployments ADD CONSTRAINT plugin_deployments_values CHECK (
  length("pluginId") BETWEEN 1 AND 100 AND length(version) BETWEEN 5 AND 100 AND "assetCount" BETWEEN 0 AND 300 AND "assetBytes" >= 0 AND sequence >= 0
  AND json_typeof(manifest) = 'object' AND json_typeof(presets) = 'object' AND coalesce(json_typeof(schema), 'object') = 'object' AND coalesce(json_typeof("uiSchema"), 'object') = 'object');
ALTER TABLE plugin_assets ADD CONSTRAINT plugin_assets_values CHECK (
  size >= 0 AND sha256 ~ '^[0-9a-f]{64}$' AND path ~ '^[A-Za-z0-9._~@+-]+(/[A-Za-z0-9._~@+-]+)*$' AND path !~ '(^|/)\.\.?(/|$)');
ALTER TABLE plugin_blobs ADD CONSTRAINT plugin_blobs_values CHECK (sha256 = encode(sha256(content), 'hex'));
ALTER TABLE plugin_instances ADD CONSTRAINT plugin_instances_values CHECK ("configVersion" >= 1 AND sequence >= 0 AND json_typeof(config) = 'object');
ALTER TABLE plugin_configurations ADD CONSTRAINT plugin_configurations_values CHECK (
  version >= 1 AND json_typeof(config) = 'object' AND reason IN ('created', 'updated', 'rolledBack') AND (reason = 'rolledBack') = ("rolledBackTo" IS NOT NULL));
ALTER TABLE plugin_mounts ADD CONSTRAINT plugin_mounts_values CHECK (
  alias ~ '^[a-z0-9][a-z0-9-]{0,62}$' AND "basePath" ~ '^/([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?$' AND length("basePath") <= 200);

CREATE TRIGGER plugin_deployments_added AFTER INSERT ON plugin_deployments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_deployments_removed AFTER DELETE ON plugin_deployments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_instances_added AFTER INSERT ON plugin_instances REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
CREATE TRIGGER plugin_instances_removed AFTER DELETE ON plugin_instances REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION counters.count_rows();
