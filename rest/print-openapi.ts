import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema } from '../src/schema.ts';
import { loadEndpoints } from './engine/endpoint.ts';
import { openApi } from './engine/openapi.ts';
import { readExamples } from './engine/openapi-examples.ts';

/** The content of `rest/openapi.json`. Its server is relative to it; a running server names its own address. */
export function printedOpenApi(): string {
  const endpoints = {
    public: loadEndpoints(schema, join(import.meta.dirname, 'public')),
    plugins: loadEndpoints(schema, join(import.meta.dirname, 'plugins')),
  };
  return `${JSON.stringify(openApi(schema, endpoints, { publicUrl: '', examples: readExamples() }), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'openapi.json'), printedOpenApi());
