import { type DocumentNode, type GraphQLSchema, type ParseOptions, parse, type Source } from 'graphql';
import { invalid } from '../kit/errors.ts';
import { assertBounded, tooDeep } from './document-bounds.ts';

/** Long values belong in variables. A name or a string of a megabyte would be copied by every message about it. */
const charactersMax = 100_000;

const tokensMax = 4_000;

/** The place of an error is found by counting lines. */
const linesMax = 10_000;

/**
 * Parses a document of a client and refuses it beyond the bounds of one document (docs/errors-and-limits.md). What
 * comes afterwards, validation first, takes time that grows quadratically with the document, and within the bounds
 * takes little.
 */
export function readDocument(schema: GraphQLSchema, source: string | Source, options: ParseOptions = {}): DocumentNode {
  const text = typeof source === 'string' ? source : source.body;
  if (text.length > charactersMax)
    throw invalid('query', `must have at most ${charactersMax} characters: pass long values as variables`);
  if (text.split(/[\n\r]/, linesMax + 1).length > linesMax)
    throw invalid('query', `must have at most ${linesMax} lines`);
  const document = parseShallow(source, options);
  assertBounded(schema, document);
  return document;
}

/** The parser is recursive. A document that nests thousands of lists exhausts its stack. */
function parseShallow(source: string | Source, options: ParseOptions): DocumentNode {
  try {
    return parse(source, { ...options, maxTokens: tokensMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}
