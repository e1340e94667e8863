import { tenantOf } from '../auth/tenancy.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { JsonObject } from '../graph/builder.ts';
import type { KeyContext } from '../graph/context.ts';
import { InvalidInput, invalid } from '../kit/errors.ts';
import { write } from '../kit/write.ts';
import { checkingSchemas, type SchemaChecker } from './config-schema.ts';
import { presetSizeIssues, schemaSizeIssues } from './configs.ts';
import { lockedDeployment, violatingInstances } from './instances.ts';
import { deploymentEvent, type DeploymentRow, noSuchDeployment, objectOf, presetNames } from './plugin-records.ts';
import type { SyncPluginConfigInput } from './schema.ts';

export interface SyncedPlugin {
  ok: true;
  deploymentId: string;
  presets: string[];
  updatedAt: Date;
  violatingInstances: string[];
}

/** Changes what may be configured, all of it or nothing. Files and instances stay as they are. */
export function syncPluginConfig(
  context: KeyContext,
  { deploymentId, ...input }: typeof SyncPluginConfigInput.$inferInput,
): Promise<SyncedPlugin> {
  assertSizes(input);
  return checkingSchemas(context, async (checker) => {
    await assertSchema(checker, input.schema);
    return write(context, 'syncPluginConfig', async ({ tx, now, event }) => {
      const found = await tx.pluginDeployment.findFirst({
        where: { ...tenantOf(context.caller), id: deploymentId },
        select: { id: true },
      });
      if (!found) throw noSuchDeployment();
      const before = await lockedDeployment(tx, found.id, 'NO KEY UPDATE');
      const next = {
        presets: input.presets ?? objectOf(before.presets) ?? {},
        schema: input.schema === undefined ? objectOf(before.schema) : input.schema,
        uiSchema: input.uiSchema === undefined ? objectOf(before.uiSchema) : input.uiSchema,
      };
      const issues = await checker.presetIssues(next.presets, next.schema);
      if (issues.length > 0) throw new InvalidInput(issues);
      if (isSame(next, before)) return synced(checker, tx, before);
      // All of these came as JSON.
      const data = {
        presets: next.presets as Prisma.InputJsonObject,
        schema: (next.schema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
        uiSchema: (next.uiSchema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
      };
      const deployment = await tx.pluginDeployment.update({
        where: { id: before.id },
        data: { ...data, sequence: { increment: 1 }, updatedAt: now },
      });
      event(deploymentEvent('plugin/configUpdated', deployment));
      return synced(checker, tx, deployment);
    });
  });
}

async function synced(
  checker: SchemaChecker,
  tx: Prisma.TransactionClient,
  deployment: DeploymentRow,
): Promise<SyncedPlugin> {
  return {
    ok: true,
    deploymentId: deployment.id,
    presets: presetNames(deployment),
    updatedAt: deployment.updatedAt,
    violatingInstances: await violatingInstances(checker, tx, deployment),
  };
}

function assertSizes({
  presets,
  schema,
  uiSchema,
}: {
  presets?: JsonObject | null | undefined;
  schema?: JsonObject | null | undefined;
  uiSchema?: JsonObject | null | undefined;
}): void {
  if (presets === null)
    throw invalid('presets', 'must not be null: leave it out to keep the presets, or send {} to have none');
  const sizes = [
    ...(presets ? presetSizeIssues(presets) : []),
    ...schemaSizeIssues(schema ?? null, 'schema'),
    ...schemaSizeIssues(uiSchema ?? null, 'uiSchema'),
  ];
  if (sizes.length > 0) throw new InvalidInput(sizes);
}

async function assertSchema(checker: SchemaChecker, schema: JsonObject | null | undefined): Promise<void> {
  const issues = schema ? await checker.schemaIssues(schema) : [];
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Forms are drawn in the order of the keys, so another order is a change. */
function isSame(
  next: { schema: JsonObject | null; uiSchema: JsonObject | null; presets: JsonObject },
  before: DeploymentRow,
): boolean {
  return (['schema', 'uiSchema', 'presets'] as const).every(
    (name) => JSON.stringify(next[name]) === JSON.stringify(before[name]),
  );
}
