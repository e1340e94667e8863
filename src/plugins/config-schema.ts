import type { JsonObject } from '../graph/builder.ts';
import type { KeyContext } from '../graph/context.ts';
import { isJsonObject, issuesMax } from '../graph/input.ts';
import type { InputIssue } from '../kit/errors.ts';
import { type SchemaThread, withSchemaThread } from './schema-threads.ts';
import { pathOf } from './violations.ts';

/** How much of a processor's time a schema may take to be judged and compiled, and one request's configurations to be checked. Honest ones take a few milliseconds. */
const schemaMaxMs = 1_000;
const checkMaxMs = 500;
/** And however many configurations there are to look at, so that a transaction ends in time. */
const lookingMaxMs = 2_000;
/** Calls of one caller that wait for their turn: writes, whose bodies may be large, and fields that are read, of which a page may have many. */
const writesWaitingMax = 32;
const readsWaitingMax = 1_000;

/** Judges schemas, and configurations by them, beside the thread that serves. */
export interface SchemaChecker {
  /** What keeps a value from being the JSON Schema of configurations; nothing when it is one. */
  schemaIssues(schema: JsonObject, path?: string): Promise<InputIssue[]>;
  /** Where configurations violate a schema, each named by the path it stands at. Without a schema anything goes. */
  configIssues(
    schema: JsonObject | null,
    configs: readonly { config: JsonObject; path: string }[],
  ): Promise<InputIssue[]>;
  /** Presets as they stand in a request: an object each, by name. */
  presetIssues(presets: JsonObject, schema: JsonObject | null): Promise<InputIssue[]>;
  /** Which of many configurations violate a schema. Those there was no time for count as violating: nobody has seen them not to. */
  violatingOf(schema: JsonObject | null, configs: readonly JsonObject[]): Promise<boolean[]>;
}

/** Runs a write that asks about schemas. It is to begin its transaction within, so that nobody waits for a turn with a connection in hand. */
export function checkingSchemas<Result>(
  { caller }: Pick<KeyContext, 'caller'>,
  work: (checker: SchemaChecker) => Promise<Result>,
): Promise<Result> {
  return withSchemaThread(
    caller.kind === 'subKey' ? caller.platformAccountId : caller.partnerId,
    writesWaitingMax,
    (thread) => work(checkerOn(thread)),
  );
}

/** The same for a field that is read. */
export function readingSchemas<Result>(
  platformAccountId: string,
  work: (checker: SchemaChecker) => Promise<Result>,
): Promise<Result> {
  return withSchemaThread(platformAccountId, readsWaitingMax, (thread) => work(checkerOn(thread)));
}

function checkerOn(thread: SchemaThread): SchemaChecker {
  let lookingLeftMs = lookingMaxMs;
  const configIssues: SchemaChecker['configIssues'] = async (schema, configs) => {
    if (schema === null || configs.length === 0) return [];
    const reply = await thread.ask({ kind: 'configs', schema, configs }, checkMaxMs);
    // A schema that was taken may still be slow on some value; whoever sends that value hears it.
    return reply !== 'endless' && 'issues' in reply
      ? reply.issues
      : [{ path: configs[0]?.path ?? '', message: 'takes too long to be checked against the schema: make it smaller' }];
  };
  return {
    configIssues,
    async schemaIssues(schema, path = 'schema') {
      const reply = await thread.ask({ kind: 'schema', schema, path }, schemaMaxMs);
      return reply !== 'endless' && 'issues' in reply
        ? reply.issues
        : [{ path, message: 'takes too long to be compiled: make it simpler' }];
    },
    async presetIssues(presets, schema) {
      const named = Object.entries(presets).map(([name, config]) => ({ config, path: pathOf('presets', [name]) }));
      const shapes = named
        .filter(({ config }) => !isJsonObject(config))
        .map(({ path }) => ({ path, message: 'must be an object of configuration values' }));
      return shapes.length > 0
        ? shapes.slice(0, issuesMax)
        : configIssues(schema, named as { config: JsonObject; path: string }[]); // all are objects, as was just seen
    },
    async violatingOf(schema, configs) {
      if (schema === null || configs.length === 0) return configs.map(() => false);
      const begun = performance.now();
      const reply =
        lookingLeftMs <= 0
          ? 'endless'
          : await thread.ask({ kind: 'violating', schema, configs }, Math.min(lookingLeftMs, checkMaxMs));
      lookingLeftMs -= performance.now() - begun;
      return reply !== 'endless' && 'violating' in reply ? reply.violating : configs.map(() => true);
    },
  };
}
