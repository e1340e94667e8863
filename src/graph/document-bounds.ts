import { type DocumentNode, type GraphQLSchema, Kind, TokenKind } from 'graphql';
import { type InvalidInput, invalid } from '../kit/errors.ts';
import { fragmentsOf } from './document-parts.ts';
import { assertAffordable } from './introspection-cost.ts';
import { mergeFields } from './merge-fields.ts';

/** What one document may contain. Beside each bound is the step that takes too long without it. */
const bounds = {
  /** Validation looks at the variables of every fragment once for each operation. */
  operations: 20,
  variables: 200,
  /** Validation compares each pair of fragments. */
  fragments: 50,
  /** The steps after the parser are recursive, too, and some print a value at each level. */
  nesting: 100,
  /** Suggestions for an unknown name compare it with every known one, letter by letter. */
  nameLength: 200,
  /** A message repeats the literal that it refuses, and is searched for card numbers. */
  numberLength: 32,
  textLength: 20_000,
} as const;

/** Refuses a document above the bounds, in time that grows linearly with the document. */
export function assertBounded(schema: GraphQLSchema, document: DocumentNode): void {
  const { definitions } = document;
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  atMost(bounds.operations, operations, 'operations');
  atMost(bounds.fragments, definitions.length - operations, 'fragments');
  assertTokensBounded(document);
  const fragments = fragmentsOf(document);
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      atMost(bounds.variables, definition.variableDefinitions?.length ?? 0, 'variables in one operation');
      assertAffordable(schema, mergeFields(definition.selectionSet, fragments));
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      // Validated by itself, even if no operation uses it.
      mergeFields(definition.selectionSet, fragments);
    }
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
export function tooDeep(): InvalidInput {
  return invalid('query', `must nest at most ${bounds.nesting} levels`);
}

function atMost(most: number, count: number, what: string): void {
  if (count > most) throw invalid('query', `must have at most ${most} ${what}, not ${count}`);
}
