import type { PluginInstance, Prisma } from '../generated/prisma/client.ts';
import type { JsonObject } from '../graph/builder.ts';
import { isJsonObject } from '../graph/input.ts';
import { InvalidInput, type InputIssue } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Actor } from '../kit/records.ts';
import type { SchemaChecker } from './config-schema.ts';
import { type DeploymentRow, objectOf } from './plugin-records.ts';
import { pathOf } from './violations.ts';

export const configBytesMax = 64 * 1024;
const schemaBytesMax = 64 * 1024;
const presetsMax = 50;
const presetsBytesMax = 256 * 1024;
const presetNameLengthMax = 100;

/** Whether a configuration may be kept at all, whatever the schema says of it. */
export function configSizeIssues(config: JsonObject, path = 'config'): InputIssue[] {
  return bytesOf(config) > configBytesMax ? [{ path, message: `must be at most ${configBytesMax} bytes of JSON` }] : [];
}

export function presetSizeIssues(presets: JsonObject): InputIssue[] {
  const entries = Object.entries(presets);
  if (entries.length > presetsMax) return [{ path: 'presets', message: `must have at most ${presetsMax} presets` }];
  if (bytesOf(presets) > presetsBytesMax)
    return [{ path: 'presets', message: `must be at most ${presetsBytesMax} bytes of JSON` }];
  return entries.flatMap(([name, config]) => {
    const path = pathOf('presets', [name]);
    if (name === '' || name.length > presetNameLengthMax)
      return [{ path, message: `must have a name of 1 to ${presetNameLengthMax} characters` }];
    return isJsonObject(config) ? configSizeIssues(config, path) : [];
  });
}

export function schemaSizeIssues(schema: JsonObject | null, path: string): InputIssue[] {
  return schema !== null && bytesOf(schema) > schemaBytesMax
    ? [{ path, message: `must be at most ${schemaBytesMax} bytes of JSON` }]
    : [];
}

function bytesOf(value: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(value));
}

type Configured = Pick<DeploymentRow, 'schema' | 'presets'>;

/** The configuration an instance begins with: the one given, the preset named, or else the preset `default`, the first one, or nothing at all. */
export async function chosenConfig(
  checker: SchemaChecker,
  { schema, presets: column }: Configured,
  { presetName, config }: { presetName?: string | null | undefined; config?: JsonObject | null | undefined },
): Promise<JsonObject> {
  const presets = objectOf(column) ?? {};
  if (presetName != null) {
    const preset = Object.hasOwn(presets, presetName) ? presets[presetName] : undefined;
    if (!isJsonObject(preset))
      throw new InvalidInput([
        {
          path: 'presetName',
          message: `must be the name of a preset${Object.keys(presets).length === 0 ? ', and the deployment has none' : `: ${Object.keys(presets).join(', ')}`}`,
        },
      ]);
    return preset;
  }
  const chosen = config ?? initialConfig(presets);
  await assertConfig(checker, { schema }, chosen);
  return chosen;
}

/** What stands for a configuration nobody has chosen. */
export function initialConfig(presets: JsonObject): JsonObject {
  const preset = Object.hasOwn(presets, 'default') ? presets['default'] : Object.values(presets)[0];
  return isJsonObject(preset) ? preset : {};
}

export async function assertConfig(
  checker: SchemaChecker,
  { schema }: Pick<Configured, 'schema'>,
  config: JsonObject,
): Promise<void> {
  const issues = await checker.configIssues(objectOf(schema), [{ config, path: 'config' }]);
  if (issues.length > 0) throw new InvalidInput(issues);
}

/** Writes down which configuration an instance has from now on, and whose it is. */
export async function addConfiguration(
  tx: Prisma.TransactionClient,
  instance: PluginInstance,
  actor: Actor,
  now: Date,
  { config, reason, rolledBackTo }: { config: JsonObject; reason: string; rolledBackTo?: number },
): Promise<void> {
  const { id: deploymentInstanceId, partnerId, platformAccountId, mode, configVersion: version } = instance;
  const data = {
    id: newId('pluginConfiguration', now),
    partnerId,
    platformAccountId,
    mode,
    deploymentInstanceId,
    version,
    reason,
    rolledBackTo: rolledBackTo ?? null,
    actorKind: actor.kind,
    actorId: actor.id,
    createdAt: now,
  };
  await tx.pluginConfiguration.create({ data: { ...data, config: config as Prisma.InputJsonObject } }); // it came as JSON
}
