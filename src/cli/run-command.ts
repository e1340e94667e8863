import { describeFailure } from '../runtime/describe-failure.ts';
import { UsageError } from './usage-error.ts';

/** Runs a command of `package.json`. A failure is a sentence on standard error, and exit status 1. */
export async function runCommand(run: () => Promise<number | undefined>): Promise<void> {
  try {
    process.exitCode = (await run()) ?? 0;
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`);
    if (error instanceof UsageError && error.help !== undefined) process.stderr.write(`\n${error.help}\n`);
    process.exitCode = 1;
  }
}

/** Reads the arguments of a command; `parse` calls `parseArgs`, whose errors are about them. */
export function readArguments<Result>(parse: () => Result, help?: string): Result {
  try {
    return parse();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), help);
  }
}
