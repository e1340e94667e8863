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

/**
 * Whether the expression is true. One that cannot be evaluated, for example because a field of the event is missing, is
 * false.
 */
export function expressionHolds(text: string, { event, payment, order, customer, session }: ExpressionFacts): boolean {
  try {
    const evaluate = environment.parse(text);
    if ((isIterating(evaluate.ast) || isAdding(evaluate.ast)) && isLong(event.data)) return false;
    return (
      evaluate({
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

const iterationCalls = ['all', 'exists', 'exists_one', 'map', 'filter'];
/** `matches` uses a JavaScript pattern, which may run forever. The others build strings and names. */
const refusedNames = ['matches', 'bind', 'join', 'split'];

/**
 * Whether an expression iterates over the entries of a list or map. Its cost grows with the data, so the number of such
 * expressions and of entries is limited.
 */
export function expressionIterates(text: string): boolean {
  try {
    return isIterating(environment.parse(text).ast);
  } catch {
    return false;
  }
}

/** How many calls of an expression name a time zone, such as `getHours('Asia/Tokyo')`: each loads the zone's rules. */
export function zoneCalls(text: string): number {
  const count = (node: ASTNode): number =>
    childrenOf(node.args).reduce((sum, child) => sum + count(child), namesZone(node) ? 1 : 0);
  try {
    return count(environment.parse(text).ast);
  } catch {
    return 0;
  }
}

function namesZone(node: ASTNode): boolean {
  return node.op === 'rcall' && /^get[A-Z]/.test(node.args[0]) && node.args[2].length > 0;
}

function isIterating(node: ASTNode): boolean {
  return (
    ((node.op === 'call' || node.op === 'rcall') && iterationCalls.includes(node.args[0])) ||
    childrenOf(node.args).some(isIterating)
  );
}

/** Whether an expression adds values of the event: `+` joins lists and strings, copying all their entries each time. */
function isAdding(node: ASTNode): boolean {
  return node.op === '+' ? namesEvent(node) : childrenOf(node.args).some(isAdding);
}

function namesEvent(node: ASTNode): boolean {
  return (node.op === 'id' && node.args === 'event') || childrenOf(node.args).some(namesEvent);
}

/** The limits of an event's data for an expression that iterates over it or adds to it. */
const iteratedMax = { entries: 100, entriesInAll: 300, characters: 100 };

/** Whether the data exceeds these limits: in one list or map, in all of them, or in a string. */
function isLong(data: unknown): boolean {
  let inAll = 0;
  const isOver = (value: unknown): boolean => {
    if (typeof value === 'string') return value.length > iteratedMax.characters;
    if (typeof value !== 'object' || value === null) return false;
    const entries: unknown[] = Object.values(value);
    inAll += entries.length;
    return entries.length > iteratedMax.entries || inAll > iteratedMax.entriesInAll || entries.some(isOver);
  };
  return isOver(data);
}

/** The forbidden call of an expression. Iterations must not be nested, since their costs multiply. */
function refusedCall(node: ASTNode, isNested: boolean): string | null {
  const isCall = node.op === 'call' || node.op === 'rcall';
  const name = isCall ? node.args[0] : '';
  if (refusedNames.includes(name)) return `must not call ${name}`;
  if (iterationCalls.includes(name) && isNested)
    return `must not call ${name} within another all, exists, exists_one, map or filter`;
  if (isNested && namesZone(node)) return `must not name a time zone within ${iterationCalls.join(', ')}`;
  const within = isNested || iterationCalls.includes(name);
  for (const child of childrenOf(node.args)) {
    const refused = refusedCall(child, within);
    if (refused !== null) return refused;
  }
  return null;
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
