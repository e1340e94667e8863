import { Prisma } from '../../generated/prisma/client.ts';
import type { JsonObject } from '../../graph/builder.ts';
import { InvalidInput } from '../../kit/errors.ts';
import { presetSizeIssues, schemaSizeIssues } from './config-sizes.ts';
import type { DeployPluginInput } from './deployment-inputs.ts';
import { type Manifest, manifestIssues, partsOf } from './manifest.ts';
import { type Asset, readAssets } from './read-assets.ts';

/** A deployment as its request describes it. */
export interface DeployParts {
  manifest: Manifest;
  schema: JsonObject | null;
  presets: JsonObject;
  assets: Asset[];
  /** The columns of the deployment. */
  data: Pick<
    Prisma.PluginDeploymentUncheckedCreateInput,
    'name' | 'manifest' | 'presets' | 'schema' | 'uiSchema' | 'assetCount' | 'assetBytes'
  >;
}

/** Validates what needs neither the database nor the schema. Throws the issues of manifest and files together. */
export function readDeployInput(input: typeof DeployPluginInput.$inferInput): DeployParts {
  const { assets, issues: assetIssues } = readAssets(input.inlineAssets ?? []);
  const issues = [...manifestIssues(input.manifest), ...assetIssues];
  if (issues.length > 0) throw new InvalidInput(issues);
  const given = input.manifest as Manifest; // validated by manifestIssues
  const { manifest, schema, uiSchema } = partsOf(given);
  const presets = input.presets ?? {};
  assertSizes(schema, uiSchema, presets);
  const data = {
    name: given.name,
    // These were received as JSON.
    manifest: manifest as Prisma.InputJsonObject,
    presets: presets as Prisma.InputJsonObject,
    schema: (schema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    uiSchema: (uiSchema as Prisma.InputJsonObject | null) ?? Prisma.DbNull,
    assetCount: assets.length,
    assetBytes: assets.reduce((sum, { size }) => sum + size, 0),
  };
  return { manifest: given, schema, presets, assets, data };
}

function assertSizes(schema: JsonObject | null, uiSchema: JsonObject | null, presets: JsonObject): void {
  const path = 'manifest.configuration';
  const issues = [
    ...schemaSizeIssues(schema, `${path}.schema`),
    ...schemaSizeIssues(uiSchema, `${path}.uiSchema`),
    ...presetSizeIssues(presets),
  ];
  if (issues.length > 0) throw new InvalidInput(issues);
}
