import type { JsonObject } from '../../graph/builder.ts';
import { isJsonObject } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';
import { pathOf } from './violations.ts';

const configBytesMax = 64 * 1024;
const schemaBytesMax = 64 * 1024;
const presetsMax = 50;
const presetsBytesMax = 256 * 1024;
const presetNameLengthMax = 100;

/** Returns an issue if a configuration is too large, regardless of the schema. */
export function configSizeIssues(config: JsonObject, path = 'config'): InputIssue[] {
  return sizeIssues(config, configBytesMax, path);
}

export function schemaSizeIssues(schema: JsonObject | null, path: string): InputIssue[] {
  return schema === null ? [] : sizeIssues(schema, schemaBytesMax, path);
}

export function presetSizeIssues(presets: JsonObject): InputIssue[] {
  const entries = Object.entries(presets);
  if (entries.length > presetsMax) return [{ path: 'presets', message: `must have at most ${presetsMax} presets` }];
  const issues = sizeIssues(presets, presetsBytesMax, 'presets');
  return issues.length > 0 ? issues : entries.flatMap(([name, config]) => presetIssues(name, config));
}

function presetIssues(name: string, config: unknown): InputIssue[] {
  const path = pathOf('presets', [name]);
  if (name === '' || name.length > presetNameLengthMax)
    return [{ path, message: `must have a name of 1 to ${presetNameLengthMax} characters` }];
  return isJsonObject(config) ? configSizeIssues(config, path) : [];
}

function sizeIssues(value: JsonObject, bytesMax: number, path: string): InputIssue[] {
  return Buffer.byteLength(JSON.stringify(value)) > bytesMax
    ? [{ path, message: `must be at most ${bytesMax} bytes of JSON` }]
    : [];
}
