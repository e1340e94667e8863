// Generates the part of the database client that exists at run time, without the Prisma CLI, which with its 120
// packages is for development only: there `npm run print` generates the client with its types. A test compares the
// two.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getInternalDMMF } from '@prisma/get-dmmf';
import { buildAndSerializeParamGraph } from '@prisma/param-graph-builder';

const root = join(import.meta.dirname, '..', '..');
const schemaDir = join(root, 'prisma', 'schema');
const outputDir = process.argv[2] ?? join(root, 'src', 'generated');

const files = readdirSync(schemaDir)
  .sort()
  .map((name) => [join(schemaDir, name), readFileSync(join(schemaDir, name), 'utf8')]);
const dmmf = getInternalDMMF({ datamodel: files });
if ('error' in dmmf) throw dmmf.error;
const { models } = dmmf.datamodel;

const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@prisma/client/package.json'), 'utf8'));
const config = {
  previewFeatures: [],
  clientVersion: version,
  engineVersion: version,
  activeProvider: 'postgresql',
  inlineSchema: files.map(([, content]) => content).join('\n'),
  runtimeDataModel: { models: Object.fromEntries(models.map(runtimeModel)), enums: {}, types: {} },
  parameterizationSchema: buildAndSerializeParamGraph(dmmf),
};

// pothos.ts is last: install.mjs uses it as the mark of a complete generation.
write(
  'prisma/client.ts',
  `import * as runtime from '@prisma/client/runtime/client';
export * as Prisma from '@prisma/client/runtime/client';
const compiler = '@prisma/client/runtime/query_compiler_fast_bg.postgresql';
export const config = JSON.parse(${literalOf(config)});
export const PrismaClient = runtime.getPrismaClient({
  ...config,
  compilerWasm: {
    getRuntime: () => import(\`\${compiler}.mjs\`),
    getQueryCompilerWasmModule: async () =>
      new WebAssembly.Module(Buffer.from((await import(\`\${compiler}.wasm-base64.mjs\`)).wasm, 'base64')),
    importName: './query_compiler_fast_bg.js',
  },
});
`,
);
write(
  'pothos.ts',
  `export const getDatamodel = () => JSON.parse(${literalOf({ datamodel: { models: pothosModels() } })});\n`,
);

function runtimeModel({ name, dbName, schema, fields }) {
  const kept = fields.map(({ name, kind, type, relationName, dbName }) => ({ name, kind, type, relationName, dbName }));
  return [name, { fields: kept, dbName, schema }];
}

/** The data that the generator of @pothos/plugin-prisma keeps. */
function pothosModels() {
  const named = ({ name, fields }) => ({ name, fields });
  return Object.fromEntries(
    models.map(({ name, fields, primaryKey, uniqueIndexes }) => [
      name,
      {
        fields: fields.map((field) => ({
          type: field.type,
          kind: field.kind,
          name: field.name,
          isRequired: field.isRequired,
          isList: field.isList,
          hasDefaultValue: field.hasDefaultValue,
          isUnique: field.isUnique,
          isId: field.isId,
          relationName: field.relationName,
          relationFromFields: field.relationFromFields,
          isUpdatedAt: field.isUpdatedAt,
        })),
        primaryKey: primaryKey && named(primaryKey),
        uniqueIndexes: uniqueIndexes.map(named),
      },
    ]),
  );
}

function literalOf(value) {
  return JSON.stringify(JSON.stringify(value));
}

function write(path, text) {
  const file = join(outputDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
