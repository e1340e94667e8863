import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of each file in the last run that was recorded, by its path in this folder. */
const seconds: Record<string, number> = JSON.parse(
  readFileSync(new URL('../durations.json', import.meta.url), 'utf8'), // written by record-durations.ts
);

/**
 * Runs the longest files of a project first, so that no core is idle behind a long last one, and the projects with the
 * longest files before the others. A file that has no duration yet comes first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const longest = new Map<string, number>();
    for (const file of files)
      longest.set(file.project.name, Math.max(longest.get(file.project.name) ?? 0, secondsOf(file)));
    const rank = ({ project }: TestSpecification): number => longest.get(project.name) ?? 0;
    return files.sort(
      (one, other) =>
        rank(other) - rank(one) ||
        one.project.name.localeCompare(other.project.name) ||
        secondsOf(other) - secondsOf(one),
    );
  }
}

function secondsOf({ moduleId, project }: TestSpecification): number {
  return seconds[relative(`${project.config.root}/test`, moduleId)] ?? Number.POSITIVE_INFINITY;
}
