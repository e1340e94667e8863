import type { JsonObject } from '../../graph/builder.ts';
import { isJsonObject } from '../../graph/input.ts';
import { InvalidInput, invalid } from '../../kit/errors.ts';
import { type DeploymentRow, objectOf } from './deployment-rows.ts';
import type { SchemaChecker } from './schema-checker.ts';

/** Returns the first configuration of an instance: the preset named, the configuration given, or the default one. */
export async function selectConfig(
  checker: SchemaChecker,
  { schema, presets: column }: Pick<DeploymentRow, 'schema' | 'presets'>,
  { presetName, config }: { presetName?: string | null | undefined; config?: JsonObject | null | undefined },
): Promise<JsonObject> {
  const presets = objectOf(column) ?? {};
  // Presets were checked against the schema when they were stored.
  if (presetName != null) return namedPreset(presets, presetName);
  const chosen = config ?? defaultConfig(presets);
  await assertConfig(checker, { schema }, chosen);
  return chosen;
}

function namedPreset(presets: JsonObject, name: string): JsonObject {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (isJsonObject(preset)) return preset;
  const names = Object.keys(presets);
  const known = names.length === 0 ? ', and the deployment has none' : `: ${names.join(', ')}`;
  throw invalid('presetName', `must be the name of a preset${known}`);
}

/** Returns the preset `default`, or else the first preset, or else an empty configuration. */
export function defaultConfig(presets: JsonObject): JsonObject {
  const preset = Object.hasOwn(presets, 'default') ? presets['default'] : Object.values(presets)[0];
  return isJsonObject(preset) ? preset : {};
}

export async function assertConfig(
  checker: SchemaChecker,
  { schema }: Pick<DeploymentRow, 'schema'>,
  config: JsonObject,
): Promise<void> {
  const issues = await checker.configIssues(objectOf(schema), [{ config, path: 'config' }]);
  if (issues.length > 0) throw new InvalidInput(issues);
}
