import type pg from 'pg';
import type { Services } from '../../src/services.ts';

/** PostgreSQL's plan of a statement. */
export interface Explained {
  /** The plan that the statement has after a few calls on one connection. */
  nodes: PlanNode[];
  executionMs: number;
  /** Whether that plan is kept, or PostgreSQL plans the statement at every call. */
  isGeneric: boolean;
  /** Of a statement that is planned at every call: the execution by the one plan that would serve every value. */
  keptMs: number | null;
}

interface PlanNode {
  type: string;
  relation: string | null;
  index: string | null;
  /** Rows that the plan read, including those it discarded. */
  rows: number;
}

interface RawNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: RawNode[];
}

interface RawPlan {
  Plan: RawNode;
  'Execution Time': number;
}

/** PostgreSQL decides at the sixth call whether it keeps a plan. */
const callsBeforePlan = 6;

let statements = 0;

/** Runs a list a few times on one connection, and reads the plan of its statement. */
export async function explaining<Answer>(
  services: Services,
  read: (services: Services) => Promise<Answer>,
): Promise<{ explained: Explained; answer: Answer }> {
  const client = await services.pool.connect();
  try {
    const queries: pg.QueryConfig[] = [];
    const names = new Map<string, string>();
    const query = (config: pg.QueryConfig): Promise<unknown> => {
      // After some hundred texts the lists of this process have no names left.
      const name = names.get(config.text) ?? `planned ${++statements}`;
      names.set(config.text, name);
      queries.push({ ...config, name });
      return client.query({ ...config, name });
    };
    const once = () => read({ ...services, pool: { query } as unknown as pg.Pool }); // lists use no other property
    const answer = await once();
    for (let call = 1; call < callsBeforePlan; call++) await once();
    return { explained: await planOf(client, queries.at(-1)), answer };
  } finally {
    client.release();
  }
}

async function planOf(client: pg.PoolClient, statement: pg.QueryConfig | undefined): Promise<Explained> {
  if (!statement?.name) throw new Error('The statement of a list has a name.');
  const literals = (statement.values ?? []).map(literalOf).join(', ');
  const explain = async (): Promise<RawPlan> => {
    const { rows } = await client.query<{ 'QUERY PLAN': [RawPlan] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "${statement.name}"${literals && `(${literals})`}`,
    );
    const [plan] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!plan) throw new Error('PostgreSQL explains every statement.');
    return plan;
  };
  const plan = await explain();
  const { rows: kept } = await client.query<{ isGeneric: boolean }>(
    'SELECT generic_plans > 0 AS "isGeneric" FROM pg_prepared_statements WHERE name = $1',
    [statement.name],
  );
  const isGeneric = kept[0]?.isGeneric === true;
  let keptMs: number | null = null;
  if (!isGeneric) {
    await client.query('SET plan_cache_mode = force_generic_plan');
    keptMs = (await explain())['Execution Time'];
    await client.query('RESET plan_cache_mode');
  }
  return { nodes: flat(plan.Plan), executionMs: plan['Execution Time'], isGeneric, keptMs };
}

/** A value as EXECUTE takes it, which has no parameters of its own. */
function literalOf(value: unknown): string {
  if (value === null) return 'NULL';
  const text =
    value instanceof Date ? value.toISOString() : Array.isArray(value) ? `{${value.join(',')}}` : String(value);
  return `'${text.replaceAll("'", "''")}'`;
}

function flat(node: RawNode): PlanNode[] {
  const rows = Math.round((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
  return [
    { type: node['Node Type'], relation: node['Relation Name'] ?? null, index: node['Index Name'] ?? null, rows },
    ...(node.Plans ?? []).flatMap(flat),
  ];
}
