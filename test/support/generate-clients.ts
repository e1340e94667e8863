import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

// node test/support/generate-clients.ts <document> <folder>: the clients that two public generators make of the
// document. They run on TypeScript 5, and the one of the repository is 7.
registerHooks({ resolve: (name, context, next) => next(name === 'typescript' ? 'typescript5' : name, context) });
const { default: openapiTS, astToString } = await import('openapi-typescript');
const { createClient } = await import('@hey-api/openapi-ts');

const [document = '', folder = ''] = process.argv.slice(2);
writeFileSync(join(folder, 'openapi.ts'), astToString(await openapiTS(new URL(`file://${document}`))));
await createClient({
  input: document,
  output: { path: join(folder, 'hey'), importFileExtension: '.ts' },
  plugins: ['@hey-api/client-fetch'],
  logs: { level: 'silent' },
});
