import { parentPort } from 'node:worker_threads';
import { draftNames, findInConfigs, findInSchema, findViolating } from './schema-check.ts';
import type { SchemaQuestion, SchemaReply } from './schema-threads.ts';

/** The thread that strangers' schemas run in. It has no connection, no key and no file open: all it knows is what it is asked. */
parentPort?.on('message', ({ id, text }: { id: number; text: string }) =>
  parentPort?.postMessage({ id, reply: replyTo(JSON.parse(text) as SchemaQuestion) }),
); // written by schema-threads.ts
// The drafts' own schemas take a while to compile, and are no question's fault.
for (const $schema of draftNames) findInSchema({ $schema }, '');
parentPort?.postMessage('ready');

function replyTo(question: SchemaQuestion): SchemaReply {
  try {
    switch (question.kind) {
      case 'schema':
        return { issues: findInSchema(question.schema, question.path) };
      case 'configs':
        return { issues: findInConfigs(question.schema, question.configs) };
      case 'violating':
        return { violating: findViolating(question.schema, question.configs) };
    }
  } catch (error) {
    // A schema that refers to itself without end breaks off by itself.
    if (error instanceof RangeError) return 'endless';
    throw error;
  }
}
