import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Writes test/durations.json from the report of a run: `npx vitest run --config test/vitest.config.ts --reporter=json
 * --outputFile=report.json`, then `node test/support/record-durations.ts report.json`. A file that the report lacks
 * keeps its duration; one that no longer exists loses it.
 */
interface Report {
  testResults: { name: string; startTime: number; endTime: number }[];
}

const file = new URL('../durations.json', import.meta.url);
const known: Record<string, number> = JSON.parse(readFileSync(file, 'utf8')); // this script's own file
const report: Report = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')); // as vitest writes it
const folder = new URL('..', import.meta.url).pathname;
const measured = new Map<string, number>();
for (const { name, startTime, endTime } of report.testResults) {
  const path = relative(folder, name);
  // A file that two projects run has the longer of its two durations.
  measured.set(path, Math.max(measured.get(path) ?? 0, Math.round((endTime - startTime) / 100) / 10));
}
const files = globSync('**/*.test.ts', { cwd: folder, exclude: ['**/node_modules/**'] }).sort();
const durations = Object.fromEntries(
  files.flatMap((path) => {
    const seconds = measured.get(path) ?? known[path];
    return seconds === undefined ? [] : [[path, seconds]];
  }),
);
writeFileSync(file, `${JSON.stringify(durations, null, 2)}\n`);
