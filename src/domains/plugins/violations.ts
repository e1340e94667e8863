import type { ErrorObject } from 'ajv';
import { joinPath } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';

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
