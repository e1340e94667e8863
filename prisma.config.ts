import { defineConfig } from 'prisma/config';

// Generating needs no schema engine, and Prisma would download one unless it is told of a program that is there.
process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

const config = defineConfig({ schema: 'prisma/schema', migrations: { path: 'prisma/migrations' } });

// Prisma's command line reads the default export of this file and nothing else.
export default config;
