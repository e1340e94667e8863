import {
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  type ParseOptions,
  parse,
  type Source,
  TokenKind,
} from 'graphql';
import { type InputIssue, type InvalidInput, invalid } from '../../lib/errors.ts';
import { fragmentsOf, mergeFields, operationOf, rootFieldsOf } from './selections.ts';

/** The bounds of one document. The comment of each bound names the step that would take too long without it. */
const bounds = {
  /** Validation visits the variables of every fragment once for each operation. */
  operations: 20,
  variables: 200,
  /** Validation compares each pair of fragments. */
  fragments: 50,
  /** The steps after the parser are recursive too, and some print a value at each level. */
  nesting: 100,
  /** Suggestions for an unknown name compare it with every known name, letter by letter. */
  nameLength: 200,
  /** A message repeats the literal that it rejects, and is searched for card numbers. */
  numberLength: 32,
  textLength: 20_000,
} as const;

/** Rejects a document above the bounds, in time that is linear in its size. */
function assertBounded(document: DocumentNode): void {
  const { definitions } = document;
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  atMost(bounds.operations, operations, 'operations');
  atMost(bounds.fragments, definitions.length - operations, 'fragments');
  assertTokensBounded(document);
  const fragments = fragmentsOf(document);
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION)
      atMost(bounds.variables, definition.variableDefinitions?.length ?? 0, 'variables in one operation');
    // GraphQL validates a fragment even if no operation uses it.
    if ('selectionSet' in definition) mergeFields(definition.selectionSet, fragments);
  }
}

function assertTokensBounded({ loc }: DocumentNode): void {
  let nesting = 0;
  for (let token = loc?.startToken ?? null; token; token = token.next) {
    if (opening.has(token.kind)) nesting += 1;
    else if (closing.has(token.kind)) nesting -= 1;
    if (nesting > bounds.nesting) throw tooDeep();
    const most = lengths.get(token.kind);
    if (most && token.end - token.start > most.length)
      throw invalid('query', `must have no ${most.what} longer than ${most.length} characters${most.hint ?? ''}`);
  }
}

const number = { what: 'number', length: bounds.numberLength };
const text = { what: 'string', length: bounds.textLength, hint: ': pass long values as variables' };
const lengths = new Map<TokenKind, { what: string; length: number; hint?: string }>([
  [TokenKind.NAME, { what: 'name', length: bounds.nameLength }],
  [TokenKind.INT, number],
  [TokenKind.FLOAT, number],
  [TokenKind.STRING, text],
  [TokenKind.BLOCK_STRING, text],
]);

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/** The error of a document that nests too deeply, also if it does so too deeply for the parser. */
function tooDeep(): InvalidInput {
  return invalid('query', `must nest at most ${bounds.nesting} levels`);
}

function atMost(most: number, count: number, what: string): void {
  if (count > most) throw invalid('query', `must contain at most ${most} ${what}, not ${count}`);
}

/** Long values belong in variables: every message about a name or string of a megabyte would copy it. */
const charactersMax = 100_000;

const tokensMax = 4_000;

/** The position of an error is found by counting lines. */
const linesMax = 10_000;

/**
 * Parses a document of a client and rejects one above the bounds (docs/errors-and-limits.md). The next steps,
 * validation first, take time that is quadratic in the document's size, which within the bounds is little.
 */
export function readDocument(source: string | Source, options: ParseOptions = {}): DocumentNode {
  const text = typeof source === 'string' ? source : source.body;
  if (text.length > charactersMax)
    throw invalid('query', `must contain at most ${charactersMax} characters: pass long values as variables`);
  if (text.split(/[\n\r]/, linesMax + 1).length > linesMax)
    throw invalid('query', `must contain at most ${linesMax} lines`);
  const document = parseShallow(source, options);
  assertBounded(document);
  return document;
}

/** The parser is recursive: a document that nests thousands of lists exhausts its stack. */
function parseShallow(source: string | Source, options: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: tokensMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

/** The bounds of one operation. Each of its root fields is a call of its own (docs/errors-and-limits.md, 6). */
const queryFieldsMax = 50;
const mutationFieldsMax = 10;

/** The issue of an operation with too many root fields. */
export function tooManyRootFields(
  { operation }: OperationDefinitionNode,
  fields: readonly unknown[],
): InputIssue | undefined {
  const [noun, most] = operation === 'mutation' ? ['mutation', mutationFieldsMax] : ['root', queryFieldsMax];
  if (fields.length <= most) return undefined;
  return {
    path: 'query',
    message: `must contain at most ${most} ${noun} fields in one operation, not ${fields.length}`,
  };
}

/** The mutation fields of a request body, each once. Empty if there are none or the body cannot be parsed. */
export function requestedMutations(schema: GraphQLSchema, body: Readonly<Record<string, unknown>> | null): string[] {
  const { query, operationName } = body ?? {};
  if (typeof query !== 'string') return [];
  const document = parsed(query);
  if (!document) return [];
  const operation = operationOf(document, typeof operationName === 'string' ? operationName : null);
  if (operation?.operation !== 'mutation') return [];
  const known = schema.getMutationType()?.getFields() ?? {};
  const requested = rootFieldsOf(operation, document).map(({ field }) => field.name.value);
  return tooManyRootFields(operation, requested) ? [] : [...new Set(requested)].filter((name) => name in known);
}

function parsed(text: string): DocumentNode | null {
  try {
    return readDocument(text);
  } catch {
    return null;
  }
}
