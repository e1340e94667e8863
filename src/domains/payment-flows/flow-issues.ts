import type { InputIssue } from '../../kit/errors.ts';

/** The whole of a flow, as it is created or as it is after a change. */
export interface FlowShape {
  strategy: string;
  processors: readonly { processorId: string; weight: number }[];
  fallbacks: readonly { processorId: string; order: number }[];
}

const processorsMax = 20;

/** Inconsistent fields of a flow that can be found without reading rows. */
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

/** Processors that the account does not have. Those of other accounts are treated like unknown ones. */
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

/** The indexes of values that occur earlier in the list. */
function repeated(values: readonly unknown[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}
