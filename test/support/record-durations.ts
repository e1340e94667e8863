import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const file = new URL('../durations.json', import.meta.url);
const folder = new URL('..', import.meta.url).pathname;

/**
 * Writes test/durations.json: `npx vitest run --config test/vitest.config.ts
 * --reporter=./test/support/record-durations.ts`. A file that did not run keeps its duration; one that no longer exists
 * loses it.
 */
export default class RecordDurations implements Reporter {
  readonly #seconds: Record<string, number> = JSON.parse(readFileSync(file, 'utf8')); // written below
  readonly #measured = new Map<string, number>();

  onTestModuleEnd(module: TestModule): void {
    const path = relative(folder, module.moduleId);
    const { collectDuration, duration } = module.diagnostic();
    // Many files start their server while they are imported. One that two projects run has the longer duration.
    const seconds = Math.max(this.#measured.get(path) ?? 0, Math.round((collectDuration + duration) / 100) / 10);
    this.#measured.set(path, seconds);
  }

  onTestRunEnd(): void {
    const files = globSync('**/*.test.ts', { cwd: folder, exclude: ['**/node_modules/**'] }).sort();
    const durations = Object.fromEntries(
      files.flatMap((path) => {
        const seconds = this.#measured.get(path) ?? this.#seconds[path];
        return seconds === undefined ? [] : [[path, seconds]];
      }),
    );
    writeFileSync(file, `${JSON.stringify(durations, null, 2)}\n`);
  }
}
