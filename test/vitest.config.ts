import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { skippedFiles } from './support/nightly.ts';
import { LongestFirst } from './support/sequencer.ts';

/** NIGHTLY says which of the tests that run by night do now: `all`, or `due` for those whose guarded paths changed. */
const exclude = [...configDefaults.exclude, ...skippedFiles(process.env['NIGHTLY'])];

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  test: {
    globalSetup: [join(import.meta.dirname, 'support', 'database-server.ts')],
    // Far above the duration of any test: these limits end tests that hang, even on a slow machine, and assert nothing.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    // More than cores: a worker waits for PostgreSQL for much of its time.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Node loads the modules, as it does in production. Vite's own loader is slower and has a second copy of graphql.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [
      // The default is 16. With 32 a run takes three percent less processor time to collect garbage.
      '--max-semi-space-size=32',
      '--import',
      join(import.meta.dirname, 'support', 'module-loading.ts'),
    ],
    sequence: { sequencer: LongestFirst },
    exclude,
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, 'test/{browser,proofs}/**', 'test/**/*.{alone,nightly,process,proof}.test.ts'],
          // Files share imported modules: loading the platform for each file took a third of the time.
          isolate: false,
          execArgv: ['--import', join(import.meta.dirname, 'support', 'quick-passwords.ts')],
        },
      },
      {
        extends: true,
        // Tests that depend on the state of a process need a separate process.
        test: { name: 'suite-alone', include: ['test/**/*.alone.test.ts'] },
      },
      {
        extends: true,
        // Those about cards once more, with the cards in a database of their own.
        test: {
          name: 'vault',
          include: [
            'test/domains/{block-rules,card-fields}/**/*.test.ts',
            'test/domains/{instruments/unclaimed-cards,payment-flows/cascade,subscriptions/create}.test.ts',
            'test/domains/funnels/checkout{,-links,-payments}.test.ts',
            'test/domains/payments/{charges-together.proof,outages.proof,stored-answers,unknown-outcomes}.test.ts',
            'test/operating/vault/vault.test.ts',
            'test/rest/secret-paths.test.ts',
          ],
          env: { TEST_VAULT: 'apart' },
          isolate: false,
        },
      },
      {
        extends: true,
        // The same rules by repetition: races, models, all states and keys, an odd value in every slot, floods, outages.
        test: {
          name: 'proofs',
          include: ['test/proofs/**/*.test.ts', 'test/**/*.proof.test.ts'],
          exclude: [...exclude, 'test/**/*.{nightly,process}.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        // Tests that start, stop or kill the server as a process of its own, and what runs by night.
        test: {
          name: 'processes',
          include: ['test/**/*.{process,nightly}.test.ts'],
          exclude: [...exclude, 'test/browser/**'],
          env: { NODE_COMPILE_CACHE: join(import.meta.dirname, '..', 'node_modules', '.cache', 'tests') },
          isolate: false,
        },
      },
      {
        extends: true,
        // Tests that open pages in Chromium.
        test: { name: 'browser', include: ['test/browser/**/*.test.ts'], isolate: false },
      },
    ],
  },
});
