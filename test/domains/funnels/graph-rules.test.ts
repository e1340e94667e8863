import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type FunnelEdge,
  type FunnelGraph,
  type FunnelNode,
  graphIssues,
} from '../../../src/domains/funnels/graph/rules.ts';

const node = (id: string, more: Partial<FunnelNode> = {}): FunnelNode => ({
  id,
  name: null,
  type: 'landing',
  isEntry: false,
  isConversion: false,
  config: {},
  variants: [],
  ...more,
});
const edge = (source: string, target: string, more: Partial<FunnelEdge> = {}): FunnelEdge => ({
  source,
  target,
  condition: { when: 'default', expression: null },
  priority: 0,
  ...more,
});
const entry = node('a', { isEntry: true });
const good: FunnelGraph = {
  nodes: [entry, node('b'), node('c')],
  edges: [edge('a', 'b'), edge('b', 'c'), edge('a', 'c')],
};
const paths = (graph: FunnelGraph) => graphIssues(graph).map(({ path }) => path);
const withConfig = (config: Record<string, unknown>) => ({ nodes: [{ ...entry, config }], edges: [] });
const withVariants = (...percentages: number[]) => ({
  nodes: [
    { ...entry, variants: percentages.map((percentage, index) => ({ id: `v${index}`, percentage, config: {} })) },
  ],
  edges: [],
});
const withExpression = (expression: string | null, when: FunnelEdge['condition']['when'] = 'expression') => ({
  nodes: [entry, node('b')],
  edges: [edge('a', 'b', { condition: { when, expression } })],
});
const item = { name: 'Course', quantity: 1, unitAmount: 4900 };
const chain = (length: number): FunnelGraph => ({
  nodes: Array.from({ length }, (_, index) => node(`n${index}`, { isEntry: index === 0 })),
  edges: Array.from({ length: length - 1 }, (_, index) => edge(`n${index}`, `n${index + 1}`)),
});

describe('the rules of a funnel, and the paths of what breaks them', () => {
  test.each<[string, FunnelGraph, string[]]>([
    ['a funnel that keeps them', good, []],
    ['one step alone', { nodes: [entry], edges: [] }, []],
    ['no step', { nodes: [], edges: [] }, ['nodes']],
    ['fifty steps', chain(50), []],
    ['one more', chain(51), ['nodes']],
    [
      'two hundred edges',
      { nodes: good.nodes, edges: Array(200).fill(edge('a', 'b')).concat() as FunnelEdge[] },
      ['nodes[2]'],
    ],
    ['one more', { nodes: good.nodes, edges: Array(201).fill(edge('a', 'b')) as FunnelEdge[] }, ['edges']],
    ['no entry', { ...good, nodes: [node('a'), node('b'), node('c')] }, ['nodes']],
    ['two entries', { ...good, nodes: [entry, node('b', { isEntry: true }), node('c')] }, ['nodes[1].isEntry']],
    ['an edge to nowhere', { ...good, edges: [...good.edges, edge('c', 'x')] }, ['edges[3].target']],
    ['an edge from nowhere', { ...good, edges: [edge('x', 'b'), ...good.edges] }, ['edges[0].source']],
    ['a step nothing leads to', { ...good, nodes: [...good.nodes, node('d')] }, ['nodes[3]']],
    ['a way back', { ...good, edges: [...good.edges, edge('c', 'a')] }, ['edges[3]']],
    ['a step to itself', { ...good, edges: [...good.edges, edge('b', 'b')] }, ['edges[3]']],
    [
      'a circle nothing leads to',
      { nodes: [entry, node('b'), node('c')], edges: [edge('b', 'c'), edge('c', 'b')] },
      ['edges[1]', 'nodes[1]', 'nodes[2]'],
    ],
    [
      'an id twice',
      { ...good, nodes: [entry, node('b'), node('b')] },
      ['nodes[2].id', 'edges[1].target', 'edges[2].target'],
    ],
    ['an id with a space', { nodes: [node('a b', { isEntry: true })], edges: [] }, ['nodes[0].id']],
    ['halves', withVariants(50, 50), []],
    ['thirds in hundredths', withVariants(33.33, 33.33, 33.34), []],
    ['a variant that is never shown', withVariants(100, 0), []],
    ['a hundredth too little', withVariants(50, 49.99), ['nodes[0].variants']],
    ['a hundredth too much', withVariants(50, 50.01), ['nodes[0].variants']],
    [
      'thousandths',
      withVariants(50.001, 49.999),
      ['nodes[0].variants[0].percentage', 'nodes[0].variants[1].percentage'],
    ],
    [
      'less than nothing',
      withVariants(-1, 101),
      ['nodes[0].variants[0].percentage', 'nodes[0].variants[1].percentage'],
    ],
    ['ten variants', withVariants(...Array<number>(10).fill(10)), []],
    ['one more', withVariants(...Array<number>(10).fill(10), 0), ['nodes[0].variants']],
    ['an expression', withExpression('payment.amount > 5000 && event.data.plan == "gold"'), []],
    ['none where one is due', withExpression(null), ['edges[0].condition.expression']],
    [
      'one beside another condition',
      withExpression('payment.failureCode == "insufficient_funds"', 'payment_declined'),
      [],
    ],
    ['one that is no CEL', withExpression('payment.amount >'), ['edges[0].condition.expression']],
    ['a field there is not', withExpression('payment.amuont > 1'), ['edges[0].condition.expression']],
    ['one that is no yes or no', withExpression('payment.amount + 1'), ['edges[0].condition.expression']],
    ['500 characters', withExpression(`event.type == "${'x'.repeat(484)}"`), []],
    ['one more', withExpression(`event.type == "${'x'.repeat(485)}"`), ['edges[0].condition.expression']],
    ['a pattern', withExpression('"aaaa".matches("(a+)+$")'), ['edges[0].condition.expression']],
    ...[
      'all(t, t != "")',
      'exists(t, t == "a")',
      'exists_one(t, t == "a")',
      'map(t, t) == []',
      'filter(t, t == "a") == []',
    ].map((call): [string, FunnelGraph, string[]] => [
      `an iteration: ${call}`,
      withExpression(`customer.tags.${call}`),
      ['edges[0].condition.expression'],
    ]),
    ['a value in a list, and its size', withExpression('"tier:gold" in customer.tags && size(customer.tags) < 5'), []],
    ['an hour in UTC', withExpression('timestamp(event.id).getHours() > 7'), []],
    [
      'an hour in a time zone',
      withExpression('timestamp(event.id).getHours("Asia/Tokyo") > 7'),
      ['edges[0].condition.expression'],
    ],
    [
      'a sum of values of the event',
      withExpression('event.data.a + event.data.b > 7'),
      ['edges[0].condition.expression'],
    ],
    ['a sum of other values', withExpression('payment.amount + order.amount > 7'), []],
    [
      'a priority that is no number',
      { ...good, edges: [edge('a', 'b', { priority: 0.5 }), ...good.edges] },
      ['edges[0].priority'],
    ],
    ['what the platform does not know', withConfig({ headline: 'Hello', more: [1, 2] }), []],
    ['a price', withConfig({ currency: 'USD', items: [item] }), []],
    ['a price without a currency', withConfig({ items: [item] }), ['nodes[0].config.currency']],
    ['no such currency', withConfig({ currency: 'usd', items: [item] }), ['nodes[0].config.currency']],
    ['no items', withConfig({ currency: 'USD', items: [] }), ['nodes[0].config.items']],
    [
      'an item for nothing',
      withConfig({ currency: 'USD', items: [item, { ...item, unitAmount: 0 }] }),
      ['nodes[0].config.items[1].unitAmount'],
    ],
    [
      'a mistyped field',
      withConfig({ currency: 'USD', items: [{ ...item, quantitiy: 2 }] }),
      ['nodes[0].config.items[0].quantitiy'],
    ],
    [
      'more than can be charged',
      withConfig({ currency: 'USD', items: [{ name: 'x', quantity: 2, unitAmount: 99_999_999_999 }] }),
      ['nodes[0].config.items'],
    ],
    ['a path that leaves its place', withConfig({ path: '../secret' }), ['nodes[0].config.path']],
    ['a configuration too large', withConfig({ text: 'x'.repeat(17_000) }), ['nodes[0].config']],
    [
      'a variant with a price of its own',
      {
        nodes: [
          {
            ...entry,
            config: { currency: 'USD', items: [item] },
            variants: [{ id: 'a', percentage: 100, config: { items: [{ ...item, unitAmount: 1 }] } }],
          },
        ],
        edges: [],
      },
      [],
    ],
  ])('%s', (_what, graph, expected) => {
    expect(paths(graph)).toEqual(expected);
  });

  test('any acyclic graph is accepted, and one edge back is named', () => {
    // Edges from an earlier step to a later one, and at least one to each: no cycle, and every step is reachable.
    const drawn = fc
      .integer({ min: 2, max: 12 })
      .chain((size) =>
        fc.tuple(
          fc.constant(size),
          fc.tuple(...Array.from({ length: size - 1 }, (_, index) => fc.nat(index))),
          fc.array(fc.tuple(fc.nat(size - 2), fc.nat(size - 1)), { maxLength: 12 }),
        ),
      );
    fc.assert(
      fc.property(drawn, ([size, parents, more]) => {
        const nodes = Array.from({ length: size }, (_, index) => node(`n${index}`, { isEntry: index === 0 }));
        const edges = [
          ...parents.map((parent, index) => edge(`n${parent}`, `n${index + 1}`)),
          ...more.filter(([from, to]) => from < to).map(([from, to]) => edge(`n${from}`, `n${to}`)),
        ];
        expect(graphIssues({ nodes, edges })).toEqual([]);
        const back = graphIssues({ nodes, edges: [...edges, edge(`n${size - 1}`, 'n0')] });
        expect(back.map(({ message }) => message)).toEqual([expect.stringContaining('cannot contain a cycle')]);
        const alone = graphIssues({ nodes: [...nodes, node('alone')], edges });
        expect(alone.map(({ path }) => path)).toEqual([`nodes[${size}]`]);
      }),
      { numRuns: 300 },
    );
  });

  test('shares that sum to a hundred are accepted', () => {
    const cuts = fc
      .array(fc.integer({ min: 0, max: 10_000 }), { maxLength: 9 })
      .map((marks) => [0, ...marks, 10_000].sort((left, right) => left - right));
    fc.assert(
      fc.property(cuts, (marks) => {
        const shares = marks.slice(1).map((mark, index) => (mark - (marks[index] ?? 0)) / 100);
        expect(graphIssues(withVariants(...shares))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
