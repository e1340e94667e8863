import type { InputIssue } from '../kit/errors.ts';

/** What a flow is made of, whole: as it is created, or as it is after a change. */
export interface FlowShape {
  strategy: string;
  processors: readonly { processorId: string; weight: number }[];
  fallbacks: readonly { processorId: string; order: number }[];
}

const processorsMax = 20;

/** What does not go together in a flow, whatever the rows say. */
export function flowIssues(
  { strategy, processors, fallbacks }: FlowShape,
  named: { fallbacks: boolean },
): InputIssue[] {
  const issues: InputIssue[] = [];
  if (processors.length === 0) issues.push({ path: 'processors', message: 'must name at least one processor' });
  for (const [path, list] of [
    ['processors', processors],
    ['fallbacks', fallbacks],
  ] as const) {
    if (list.length > processorsMax) issues.push({ path, message: `must hold at most ${processorsMax} entries` });
    issues.push(
      ...repeated(list.map(({ processorId }) => processorId)).map((index) => ({
        path: `${path}[${index}].processorId`,
        message: 'must not be named twice',
      })),
    );
  }
  issues.push(
    ...repeated(fallbacks.map(({ order }) => order)).map((index) => ({
      path: `fallbacks[${index}].order`,
      message: 'must differ from that of the other fallbacks',
    })),
  );
  if (strategy !== 'cascade' && fallbacks.length > 0) {
    issues.push(
      named.fallbacks
        ? { path: 'fallbacks', message: 'are only for the strategy cascade' }
        : { path: 'strategy', message: 'must be cascade while the flow has fallbacks: send fallbacks: [] with it' },
    );
  }
  return issues;
}

/** Processors the account does not have: those of others are not told from those that do not exist. */
export function unknownProcessorIssues(
  { processors, fallbacks }: Pick<FlowShape, 'processors' | 'fallbacks'>,
  known: ReadonlySet<string>,
): InputIssue[] {
  return (
    [
      ['processors', processors],
      ['fallbacks', fallbacks],
    ] as const
  ).flatMap(([path, list]) =>
    list.flatMap(({ processorId }, index) =>
      known.has(processorId)
        ? []
        : [{ path: `${path}[${index}].processorId`, message: 'must be a processor of the account' }],
    ),
  );
}

/** The places of those that stood before. */
function repeated(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
