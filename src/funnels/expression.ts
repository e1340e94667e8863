import { type ASTNode, Environment } from '@marcbachmann/cel-js';

/**
 * What an expression of an edge may speak of, in CEL: a language without loops, side effects or access to anything but these.
 * Amounts are whole numbers of minor units; where there is no payment, order or customer their texts are empty and their numbers 0.
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

export const expressionLengthMax = 500;
const limits = { maxAstNodes: 100, maxDepth: 16, maxListElements: 50, maxMapEntries: 20, maxCallArguments: 5 };
const environment = new Environment({ limits, homogeneousAggregateLiterals: false });
for (const [name, schema] of Object.entries(variables)) environment.registerVariable({ name, schema });

/** What is wrong with an expression, in words that follow the field's name; null when it may be kept. */
export function expressionProblem(text: string): string | null {
  if (text.trim() === '' || text.length > expressionLengthMax)
    return `must be a CEL expression of 1 to ${expressionLengthMax} characters`;
  try {
    const parsed = environment.parse(text);
    const refused = refusedCall(parsed.ast, false);
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

/** Whether it is true of these facts. What cannot be worked out, such as a field the event does not have, does not hold. */
export function expressionHolds(text: string, { event, payment, order, customer, session }: ExpressionFacts): boolean {
  try {
    const holds = environment.parse(text);
    if (isWalking(holds.ast) && isLong(event.data)) return false;
    return (
      holds({
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

const walking = ['all', 'exists', 'exists_one', 'map', 'filter'];
/** `matches` would take a pattern of JavaScript's, which can be made to run for ever; the others build texts and names. */
const refusedNames = ['matches', 'bind', 'join', 'split'];

/** Whether an expression goes through the entries of something. What it does with each may cost as much as there is data: few may do so, and over little. */
export function expressionWalks(text: string): boolean {
  try {
    return isWalking(environment.parse(text).ast);
  } catch {
    return false;
  }
}

function isWalking(node: ASTNode): boolean {
  return (
    ((node.op === 'call' || node.op === 'rcall') && walking.includes(node.args[0])) ||
    childrenOf(node.args).some(isWalking)
  );
}

const walkedMax = 100;

/** Whether a list or map in it has more entries than are walked. */
function isLong(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const entries: unknown[] = Object.values(value);
  return entries.length > walkedMax || entries.some(isLong);
}

/** A walk over a list within a walk over a list takes the product of both. */
function refusedCall(node: ASTNode, walked: boolean): string | null {
  const isCall = node.op === 'call' || node.op === 'rcall';
  const name = isCall ? node.args[0] : '';
  if (refusedNames.includes(name)) return `must not call ${name}`;
  if (walking.includes(name) && walked)
    return `must not call ${name} within another all, exists, exists_one, map or filter`;
  const within = walked || walking.includes(name);
  for (const child of childrenOf(node.args)) {
    const refused = refusedCall(child, within);
    if (refused !== null) return refused;
  }
  return null;
}

function childrenOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return typeof args === 'object' && args !== null && 'op' in args && 'args' in args ? [args as ASTNode] : []; // whatever has both is a node of the parser's
}

function summaryOf(error: unknown): string {
  const summary = error instanceof Error && 'summary' in error ? String(error.summary) : 'it cannot be read';
  return summary.slice(0, 200).toWellFormed();
}
