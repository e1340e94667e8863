import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema } from '../src/schema.ts';
import { loadEndpoints } from './engine/endpoint.ts';
import { openApi } from './openapi/document.ts';
import { readExamples } from './openapi/operation.ts';

/** The printed documents: the public one, and the one for signed-in users. */
export const printed = { 'openapi.json': ['public', 'plugins'], 'openapi-iam.json': ['iam'] } as const;

/** The content of a printed document. Its server is relative; a running server sets its own address. */
export function printedOpenApi(file: keyof typeof printed = 'openapi.json'): string {
  const endpoints = Object.fromEntries(printed[file].map((surface) => [surface, loadEndpoints(schema, surface)]));
  return `${JSON.stringify(openApi(schema, endpoints, { publicUrl: '', examples: readExamples() }), null, 2)}\n`;
}

if (import.meta.main)
  for (const file of ['openapi.json', 'openapi-iam.json'] as const)
    writeFileSync(join(import.meta.dirname, file), printedOpenApi(file));
