import type { JsonObject } from '../../graph/builder.ts';
import type { InputIssue } from '../../kit/errors.ts';

/** A question about a JSON Schema of a client. */
export type SchemaQuestion =
  | { kind: 'schema'; schema: JsonObject; path: string }
  | { kind: 'configs'; schema: JsonObject; configs: readonly { config: JsonObject; path: string }[] }
  | { kind: 'violating'; schema: JsonObject; configs: readonly JsonObject[] };

/** The answer, or `endless` if the check was stopped because it took too much time or memory. */
export type SchemaReply = { issues: InputIssue[] } | { violating: boolean[] } | 'endless';
