import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  resolve: {
    // Node gives everybody the CommonJS build of graphql; Vite would give our files the other one, and the two refuse each other's types.
    alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    // Far above what anything takes: they end what hangs, on a slow machine, too, and assert nothing.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // The default leaves a core idle, and much of a test's time is the database's.
    maxWorkers: '100%',
  },
});
