import { writeFileSync } from 'node:fs';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../schema.ts';

/** The content of `schema.graphql`: the sorted schema, so that a diff shows only real changes. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

if (import.meta.main) writeFileSync(new URL('../../schema.graphql', import.meta.url), printedSchema());
