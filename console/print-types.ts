import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema, isEnumType, isScalarType } from 'graphql';

/** Scalars whose values are not strings in JSON. */
const numbers = new Set(
  (
    'Int Float Amount AmountOrZero Count DisputedAmount SignedAmount ConfigVersion FallbackOrder ListLimit ' +
    'ListOffset PageNumber PageSize Quantity RetryCount RouteWeight TtlHours'
  ).split(' '),
);
const objects = new Set(['JSONObject', 'Metadata', 'PluginManifest']);

function typeOf(scalar: string): string {
  if (scalar === 'Boolean') return 'boolean';
  if (numbers.has(scalar)) return 'number';
  if (scalar === 'Revenue') return 'number | string';
  if (scalar === 'KybValue') return 'string | Record<string, string>';
  return objects.has(scalar) ? 'Record<string, unknown>' : 'string';
}

/** Writes the types of `schema.graphql`, from which the types of every document of the console follow. */
const here = import.meta.dirname;
const schema = buildSchema(readFileSync(join(here, '..', 'schema.graphql'), 'utf8'));
const introspection = minifyIntrospection(introspectionFromSchema(schema));
const types = outputIntrospectionFile(introspection, { fileType: 'graphql-env.d.ts', shouldPreprocess: true });
const scalars = Object.values(schema.getTypeMap())
  .filter(isScalarType)
  .map(({ name }) => `  ${name}: ${typeOf(name)};`);
writeFileSync(
  join(here, 'src', 'graph', 'schema-types.d.ts'),
  `${types}\nexport interface Scalars {\n${scalars.join('\n')}\n}\n`,
);

/** Its enums: their values, by the name of the type. A filter of the console offers all of them. */
const enums = Object.values(schema.getTypeMap())
  .filter(isEnumType)
  .filter(({ name }) => !name.startsWith('__'))
  .map((type) => {
    const values = type.getValues().map(({ name }) => `'${name}'`);
    return `export const ${type.name} = [${values.join(', ')}] as const;`;
  });
writeFileSync(join(here, 'src', 'graph', 'enums.ts'), `${enums.join('\n')}\n`);
