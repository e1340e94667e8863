import type { ErrorObject } from 'ajv';
import type { JsonObject } from '../../../graph/builder.ts';
import { isJsonObject, joinPath } from '../../../graph/input/check.ts';
import type { InputIssue } from '../../../lib/errors.ts';

/** Translates an error of ajv into an issue with the path as the client wrote it, such as `presets.default.color`. */
export function issueOf(error: ErrorObject, base: string): InputIssue {
  const at = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const params: Readonly<Record<string, unknown>> = error.params;
  const named = (name: unknown): string => pathOf(base, [...at, String(name)]);
  switch (error.keyword) {
    case 'required':
      return { path: named(params['missingProperty']), message: 'is required' };
    case 'additionalProperties':
      return { path: named(params['additionalProperty']), message: 'is not a known field' };
    case 'unevaluatedProperties':
      return { path: named(params['unevaluatedProperty']), message: 'is not a known field' };
    case 'enum':
      return { path: pathOf(base, at), message: `must be one of ${truncateText(listOf(params['allowedValues']))}` };
    case 'const':
      return {
        path: pathOf(base, at),
        message: `must be ${truncateText(JSON.stringify(params['allowedValue']) ?? 'the one value allowed')}`,
      };
    default:
      return { path: pathOf(base, at), message: truncateText(error.message ?? 'is not allowed by the schema') };
  }
}

/** Appends parts to a path. Whole numbers become list indexes. */
export function pathOf(base: string, parts: readonly string[]): string {
  return parts.reduce(
    (path, part) => (/^(0|[1-9][0-9]{0,9})$/.test(part) ? `${path}[${part}]` : joinPath(path, part)),
    base,
  );
}

const messageLengthMax = 300;

function truncateText(text: string): string {
  return text.length <= messageLengthMax ? text : `${text.slice(0, messageLengthMax).toWellFormed()}…`;
}

function listOf(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value: unknown) => JSON.stringify(value)).join(', ')
    : 'the values allowed';
}

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
  if (entries.length > presetsMax) return [{ path: 'presets', message: `must contain at most ${presetsMax} presets` }];
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
