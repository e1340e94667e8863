import { type ASTNode, Environment } from '@marcbachmann/cel-js';

/**
 * The variables of an edge's expression in CEL, a language without loops, side effects or access to anything else.
 * Amounts are whole numbers of minor units. Without a payment, order or customer its strings are empty and its numbers
 * are 0.
 */
const variables = {
  event: { id: 'string', type: 'string', data: 'map<string, dyn>' },
  payment: { id: 'string', status: 'string', amount: 'int', currency: 'string', failureCode: 'string' },
  order: { id: 'string', status: 'string', amount: 'int', currency: 'string' },
  customer: { id: 'string', email: 'string', country: 'string', tags: 'list<string>' },
  session: { id: 'string', stepId: 'string', variantId: 'string', moves: 'int' },
} as const;

export interface ExpressionFacts {
  event: { id: string; type: string; data: Readonly<Record<string, unknown>> };
  payment?:
    | { id: string; status: string; amount: number | bigint; currency: string; failureCode: string | null }
    | undefined;
  order?: { id: string; status: string; amount: number | bigint; currency: string } | undefined;
  customer?: { id: string; email: string; country: string | null; tags: readonly string[] } | undefined;
  session: { id: string; stepId: string; variantId: string | null; moves: number };
}

const expressionLengthMax = 500;
const limits = { maxAstNodes: 100, maxDepth: 16, maxListElements: 50, maxMapEntries: 20, maxCallArguments: 5 };
const environment = new Environment({ limits, homogeneousAggregateLiterals: false });
for (const [name, schema] of Object.entries(variables)) environment.registerVariable({ name, schema });

/**
 * The rule that an expression breaks, as a sentence that starts with the field's name; null if the expression is valid.
 */
export function expressionProblem(text: string): string | null {
  if (text.trim() === '' || text.length > expressionLengthMax)
    return `must be a CEL expression of 1 to ${expressionLengthMax} characters`;
  try {
    const parsed = environment.parse(text);
    const refused = refusalOf(parsed.ast);
    if (refused !== null) return refused;
    const { valid, type, error } = parsed.check();
    if (!valid) return `must be a valid CEL expression: ${summaryOf(error)}`;
    return type === 'bool' || type === 'dyn'
      ? null
      : `must be a CEL expression that is true or false, it is of type ${type}`;
  } catch (error) {
    return `must be a valid CEL expression: ${summaryOf(error)}`;
  }
}

/**
 * Whether the expression is true. One that cannot be evaluated, for example because a field of the event is missing, is
 * false.
 */
export function expressionHolds(text: string, { event, payment, order, customer, session }: ExpressionFacts): boolean {
  try {
    return (
      environment.parse(text)({
        event,
        payment: {
          id: payment?.id ?? '',
          status: payment?.status ?? '',
          amount: BigInt(payment?.amount ?? 0),
          currency: payment?.currency ?? '',
          failureCode: payment?.failureCode ?? '',
        },
        order: {
          id: order?.id ?? '',
          status: order?.status ?? '',
          amount: BigInt(order?.amount ?? 0),
          currency: order?.currency ?? '',
        },
        customer: {
          id: customer?.id ?? '',
          email: customer?.email ?? '',
          country: customer?.country ?? '',
          tags: customer?.tags ?? [],
        },
        session: { ...session, variantId: session.variantId ?? '', moves: BigInt(session.moves) },
      }) === true
    );
  } catch {
    return false;
  }
}

/**
 * Calls that are refused: iterations, whose cost grows with the data of an event, `matches`, whose JavaScript pattern may
 * run forever, and those that build strings or names.
 */
const refusedNames = ['all', 'exists', 'exists_one', 'map', 'filter', 'matches', 'bind', 'join', 'split'];

/** Why an expression is refused, as a sentence that starts with the field's name; null if it is not. */
function refusalOf(node: ASTNode): string | null {
  const name = node.op === 'call' || node.op === 'rcall' ? node.args[0] : '';
  if (refusedNames.includes(name)) return `must not call ${name}`;
  // Each call would load the rules of the zone.
  if (node.op === 'rcall' && /^get[A-Z]/.test(name) && node.args[2].length > 0)
    return `must not name a time zone: ${name} answers in UTC`;
  // `+` copies all entries of a list or string.
  if (node.op === '+' && namesEvent(node)) return 'must not add values of the event';
  for (const child of childrenOf(node.args)) {
    const refused = refusalOf(child);
    if (refused !== null) return refused;
  }
  return null;
}

function namesEvent(node: ASTNode): boolean {
  return (node.op === 'id' && node.args === 'event') || childrenOf(node.args).some(namesEvent);
}

function childrenOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  // an object with both fields is a node of the parser
  return typeof args === 'object' && args !== null && 'op' in args && 'args' in args ? [args as ASTNode] : [];
}

function summaryOf(error: unknown): string {
  const summary = error instanceof Error && 'summary' in error ? String(error.summary) : 'it cannot be read';
  return summary.slice(0, 200).toWellFormed();
}
