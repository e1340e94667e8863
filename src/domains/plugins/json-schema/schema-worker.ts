import type { SchemaQuestion, SchemaReply } from './checker.ts';
import { draftNames, findInConfigs, findInSchema, findViolating } from './validation.ts';

// Runs in a worker thread (checker.ts), which has no database connection, no secret and no environment.

// Compiling the schemas of the drafts takes a while. It happens at start, so that it does not count as time of a
// question.
for (const $schema of draftNames) findInSchema({ $schema }, '');

/** Resolves once the module is loaded. */
export function warmUp(): void {}

export function answerQuestion(text: string): SchemaReply {
  const question = JSON.parse(text) as SchemaQuestion; // serialized by checker.ts
  try {
    if (question.kind === 'schema') return { issues: findInSchema(question.schema, question.path) };
    if (question.kind === 'configs') return { issues: findInConfigs(question.schema, question.configs) };
    return { violating: findViolating(question.schema, question.configs) };
  } catch (error) {
    // An infinitely recursive schema overflows the stack.
    if (error instanceof RangeError) return 'endless';
    throw error;
  }
}
