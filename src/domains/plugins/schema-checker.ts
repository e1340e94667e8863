import type { JsonObject } from '../../graph/builder.ts';
import type { KeyContext } from '../../graph/context.ts';
import { isJsonObject, issuesMax } from '../../graph/input.ts';
import type { InputIssue } from '../../kit/errors.ts';
import type { SchemaThread } from './schema-thread.ts';
import { withSchemaThread } from './schema-turns.ts';
import { pathOf } from './violations.ts';

/**
 * Processor time for the validation and compilation of a schema, and for the check of the configurations of a request.
 * Usual ones take a few milliseconds.
 */
const schemaMaxMs = 1_000;
const checkMaxMs = 500;
/** Time for all calls of `violatingOf` of one checker, so that the database transaction around them ends in time. */
const violatingMaxMs = 2_000;
/** Waiting calls of one owner. Writes may have large bodies; a page of instances reads many fields. */
const writesWaitingMax = 32;
const readsWaitingMax = 1_000;

/** Checks schemas, and configurations against them, in a worker thread. */
export interface SchemaChecker {
  /** Returns why a value is not a usable JSON Schema of configurations. */
  schemaIssues(schema: JsonObject, path?: string): Promise<InputIssue[]>;
  /** Returns where configurations violate a schema. Without a schema every configuration is valid. */
  configIssues(
    schema: JsonObject | null,
    configs: readonly { config: JsonObject; path: string }[],
  ): Promise<InputIssue[]>;
  /** Returns the issues of presets by name: each must be an object and satisfy the schema. */
  presetIssues(presets: JsonObject, schema: JsonObject | null): Promise<InputIssue[]>;
  /** Returns which configurations violate a schema. One that there was no time to check counts as violating. */
  violatingOf(schema: JsonObject | null, configs: readonly JsonObject[]): Promise<boolean[]>;
}

/**
 * Runs a write that checks schemas. `work` begins its database transaction itself, so that a call that waits for its
 * turn keeps no connection.
 */
export function checkingSchemas<Result>(
  { caller }: Pick<KeyContext, 'caller'>,
  work: (checker: SchemaChecker) => Promise<Result>,
): Promise<Result> {
  const owner = caller.kind === 'subKey' ? caller.platformAccountId : caller.partnerId;
  return withSchemaThread(owner, writesWaitingMax, (thread) => work(checkerOn(thread)));
}

/** Runs a read that checks schemas. */
export function readingSchemas<Result>(
  platformAccountId: string,
  work: (checker: SchemaChecker) => Promise<Result>,
): Promise<Result> {
  return withSchemaThread(platformAccountId, readsWaitingMax, (thread) => work(checkerOn(thread)));
}

function checkerOn(thread: SchemaThread): SchemaChecker {
  let violatingLeftMs = violatingMaxMs;
  const configIssues: SchemaChecker['configIssues'] = async (schema, configs) => {
    if (schema === null || configs.length === 0) return [];
    const reply = await thread.ask({ kind: 'configs', schema, configs }, checkMaxMs);
    // A valid schema may still be slow on some configuration. The issue then names the configuration.
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
      const configs: { config: JsonObject; path: string }[] = [];
      const issues: InputIssue[] = [];
      for (const [name, config] of Object.entries(presets)) {
        const path = pathOf('presets', [name]);
        if (isJsonObject(config)) configs.push({ config, path });
        else issues.push({ path, message: 'must be an object of configuration values' });
      }
      return issues.length > 0 ? issues.slice(0, issuesMax) : configIssues(schema, configs);
    },
    async violatingOf(schema, configs) {
      if (schema === null || configs.length === 0) return configs.map(() => false);
      if (violatingLeftMs <= 0) return configs.map(() => true);
      const start = performance.now();
      const reply = await thread.ask({ kind: 'violating', schema, configs }, Math.min(violatingLeftMs, checkMaxMs));
      violatingLeftMs -= performance.now() - start;
      return reply !== 'endless' && 'violating' in reply ? reply.violating : configs.map(() => true);
    },
  };
}
