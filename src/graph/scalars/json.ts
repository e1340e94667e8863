import type { JsonObject } from '../builder.ts';
import { defineScalar } from '../define-scalar.ts';
import { isJsonObject } from '../input.ts';
import type { ScalarTypes } from '../scalar-types.ts';

defineScalar('Metadata', {
  description:
    'Key-value data of the client: an object of at most 50 keys of at most 40 characters, whose values are strings ' +
    'of at most 500 characters, numbers, booleans or null.',
  jsonSchema: { type: 'object', maxProperties: 50, additionalProperties: true },
  expected:
    'must be an object of at most 50 keys of at most 40 characters, whose values are strings of at most 500 ' +
    'characters, numbers, true, false or null',
  parse: (value) => (isJsonObject(value) && isMetadata(value) ? value : undefined),
});

defineScalar('JSONObject', {
  description: 'A JSON object with any content.',
  jsonSchema: { type: 'object', additionalProperties: true },
  expected: 'must be a JSON object',
  parse: (value) => (isJsonObject(value) ? value : undefined),
});

function isMetadata(value: JsonObject): value is ScalarTypes['Metadata']['Input'] {
  const entries = Object.entries(value);
  return entries.length <= 50 && entries.every(([key, entry]) => key.length <= 40 && isMetadataValue(entry));
}

function isMetadataValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= 500;
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}
