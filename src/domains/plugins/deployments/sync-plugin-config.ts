import { ownRow } from '../../../auth/visible.ts';
import type { TenantContext } from '../../../call/context.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import type { JsonObject } from '../../../graph/builder.ts';
import { InvalidInput } from '../../../lib/errors.ts';
import { write } from '../../../unit-of-work/write.ts';
import { deploymentEvent } from '../instances/rows.ts';
import { checkingSchemas, type SchemaChecker } from '../json-schema/checker.ts';
import { presetSizeIssues, schemaSizeIssues } from '../json-schema/issues.ts';
import { changeDeployment, violatingInstances } from './deploy-plugin.ts';
import type { SyncPluginConfigInput } from './inputs.ts';
import { type DeploymentRow, lockedDeployment, objectOf, presetNames } from './rows.ts';

export interface SyncedPlugin {
  ok: true;
  deploymentId: string;
  presets: string[];
  updatedAt: Date;
  violatingInstances: string[];
}

type SyncInput = typeof SyncPluginConfigInput.$inferInput;

/** Changes the presets and schemas of a deployment, completely or not at all. Files and instances do not change. */
export function syncPluginConfig(context: TenantContext, input: SyncInput): Promise<SyncedPlugin> {
  assertSizes(input);
  return checkingSchemas(context, async (checker) => {
    const schemaIssues = input.schema ? await checker.schemaIssues(input.schema) : [];
    if (schemaIssues.length > 0) throw new InvalidInput(schemaIssues);
    return write(context, 'syncPluginConfig', async ({ tx, now, event }) => {
      const { id } = await ownRow(tx, context.tenant, 'pluginDeployment', input.deploymentId);
      const before = await lockedDeployment(tx, id, 'NO KEY UPDATE');
      const next = nextConfiguration(before, input);
      const presetIssues = await checker.presetIssues(next.presets, next.schema);
      if (presetIssues.length > 0) throw new InvalidInput(presetIssues);
      if (isSame(next, before)) return syncedPlugin(checker, tx, before);
      const deployment = await changeDeployment({ tx, now }, id, columnsOf(next));
      event(deploymentEvent('plugin/configUpdated', deployment, context.services.config.publicUrl));
      return syncedPlugin(checker, tx, deployment);
    });
  });
}

function assertSizes({ presets, schema, uiSchema }: SyncInput): void {
  const issues = [
    ...(presets ? presetSizeIssues(presets) : []),
    ...schemaSizeIssues(schema ?? null, 'schema'),
    ...schemaSizeIssues(uiSchema ?? null, 'uiSchema'),
  ];
  if (issues.length > 0) throw new InvalidInput(issues);
}

interface Configuration {
  presets: JsonObject;
  schema: JsonObject | null;
  uiSchema: JsonObject | null;
}

/** A field that is left out keeps its value; null removes a schema. */
function nextConfiguration(before: DeploymentRow, { presets, schema, uiSchema }: SyncInput): Configuration {
  return {
    presets: presets ?? objectOf(before.presets) ?? {},
    schema: schema === undefined ? objectOf(before.schema) : schema,
    uiSchema: uiSchema === undefined ? objectOf(before.uiSchema) : uiSchema,
  };
}

/** Compares including the order of keys, because forms show fields in that order. */
function isSame(next: Configuration, before: DeploymentRow): boolean {
  return (['schema', 'uiSchema', 'presets'] as const).every(
    (name) => JSON.stringify(next[name]) === JSON.stringify(before[name]),
  );
}

/** The casts are safe: these were received as JSON. */
function columnsOf({ presets, schema, uiSchema }: Configuration) {
  return {
    presets: presets as Prisma.InputJsonObject,
    schema: (schema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    uiSchema: (uiSchema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
  };
}

async function syncedPlugin(
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
