import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schema } from '../src/schema.ts';
import { loadEndpoints } from './engine/endpoint.ts';
import { openApi } from './engine/openapi.ts';
import { readExamples } from './engine/openapi-examples.ts';

/** The server URL of the committed `rest/openapi.json`. A running server replaces it by its own. */
const publicUrl = 'http://localhost:4000';

/** The content of `rest/openapi.json`. */
export function printedOpenApi(): string {
  const endpoints = {
    public: loadEndpoints(schema, join(import.meta.dirname, 'public')),
    plugins: loadEndpoints(schema, join(import.meta.dirname, 'plugins')),
  };
  return `${JSON.stringify(openApi(schema, endpoints, publicUrl, readExamples()), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'openapi.json'), printedOpenApi());
