import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';

// The generator runs on TypeScript 5, and the one of the repository is 7.
const hooks = registerHooks({
  resolve: (name, context, next) => next(name === 'typescript' ? 'typescript5' : name, context),
});
const { default: openapiTS, astToString } = await import('openapi-typescript');
hooks.deregister();

interface Operation {
  parameters?: { in?: string }[];
  responses: Record<string, { headers?: object }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: Record<string, object>;
}

/**
 * The content of `sdk/src/openapi.ts`: the types of the bodies, answers and events of `rest/openapi.json`. Examples,
 * headers and errors are left out: they are the same for every operation, or of no use to a program.
 */
export async function printedTypes(): Promise<string> {
  const text = readFileSync(join(import.meta.dirname, '..', 'rest', 'openapi.json'), 'utf8');
  const document = JSON.parse(text, (name, value: unknown) => (name === 'example' ? undefined : value)) as Document;
  for (const methods of [...Object.values(document.paths), ...Object.values(document.webhooks)])
    for (const operation of Object.values(methods)) {
      operation.parameters = operation.parameters?.filter(
        (parameter) => 'in' in parameter && parameter.in !== 'header',
      );
      operation.responses = { 200: { ...operation.responses['200'], headers: {} } };
    }
  document.components = { schemas: document.components['schemas'] ?? {} };
  const nodes = await openapiTS(JSON.stringify(document));
  // The operations are typed by name; `paths` says the same by path.
  const kept = nodes.filter((node) => !/^export (interface paths|type \$defs)/.test(astToString([node]).trim()));
  const lines = astToString(kept).split('\n');
  const described = lines.filter(
    (line) => !/^ +(query|header|path|cookie|get|put|delete|options|head|patch|trace)\?: never;$/.test(line),
  );
  return `// Printed from rest/openapi.json by \`npm run print\`.\n${described.join('\n')}`;
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'src', 'openapi.ts'), await printedTypes());
