import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ExpressionFacts,
  expressionHolds,
  expressionProblem,
} from '../../../src/domains/funnels/graph/expression.ts';
import { edgeFor, variantFor } from '../../../src/domains/funnels/graph/next-step.ts';
import {
  type edgeConditions,
  eventOfPayment,
  type FunnelEdge,
  type FunnelGraph,
} from '../../../src/domains/funnels/graph/rules.ts';

const factsOf = (type: string, more: Partial<ExpressionFacts> = {}): ExpressionFacts => ({
  event: { id: 'e', type, data: {} },
  session: { id: 'fs_1', stepId: 'a', variantId: null, moves: 0 },
  ...more,
});
const graphOf = (
  ...edges: Partial<FunnelEdge & { when: FunnelEdge['condition']['when']; expression: string }>[]
): FunnelGraph => ({
  nodes: [],
  edges: edges.map(({ when = 'default', expression = null, source = 'a', target = 'b', priority = 0 }) => ({
    source,
    target,
    priority,
    condition: { when, expression },
  })),
});

describe('which edge an event takes', () => {
  const events = ['payment_succeeded', 'payment_declined', 'offer_accepted', 'offer_declined', 'clicked'];
  test.each<[(typeof edgeConditions)[number], string[]]>([
    // A visitor who has not paid does not pass, unless an edge names that condition.
    ['default', ['payment_succeeded', 'offer_accepted', 'offer_declined', 'clicked']],
    ['expression', ['payment_succeeded', 'offer_accepted', 'offer_declined', 'clicked']],
    ['payment_succeeded', ['payment_succeeded']],
    ['payment_declined', ['payment_declined']],
    ['offer_accepted', ['offer_accepted']],
    ['offer_declined', ['offer_declined']],
  ])('%s is taken by %s', (when, taking) => {
    const graph = graphOf({ when, ...(when === 'expression' && { expression: 'true' }) });
    expect(events.filter((type) => edgeFor(graph, 'a', factsOf(type)) !== null)).toEqual(taking);
  });

  test('the smallest priority comes first, then the order of the list; an edge of another step never', () => {
    const taken = (...edges: Parameters<typeof graphOf>) => edgeFor(graphOf(...edges), 'a', factsOf('x'))?.target;
    expect(taken({ target: 'b', priority: 2 }, { target: 'c', priority: 1 }, { target: 'd', priority: 1 })).toBe('c');
    expect(taken({ target: 'b' }, { target: 'c', priority: -1 })).toBe('c');
    expect(taken({ source: 'z', target: 'b' })).toBeUndefined();
    expect(taken({ target: 'b', when: 'expression', expression: 'false' }, { target: 'c', priority: 9 })).toBe('c');
  });

  test('an expression narrows a condition, and one that cannot be evaluated is false', () => {
    const payment = {
      id: 'pay_1',
      status: 'declined',
      amount: 4900n,
      currency: 'USD',
      failureCode: 'insufficient_funds',
    };
    const graph = graphOf({ when: 'payment_declined', expression: 'payment.failureCode == "insufficient_funds"' });
    expect(edgeFor(graph, 'a', factsOf('payment_declined', { payment }))).not.toBeNull();
    expect(
      edgeFor(graph, 'a', factsOf('payment_declined', { payment: { ...payment, failureCode: 'lost_card' } })),
    ).toBeNull();
    const data = { plan: 'gold', seats: 3, tags: ['a', 'b'], nested: { deep: true } };
    const holds = (expression: string) =>
      expressionHolds(expression, factsOf('x', { event: { id: 'e', type: 'x', data }, payment }));
    expect(
      [
        'event.data.plan == "gold"',
        'event.data.seats > 2',
        'event.data.seats >= 2.5',
        '"a" in event.data.tags',
        'event.data.nested.deep',
        'has(event.data.plan)',
        'payment.amount == 4900',
        'customer.id == ""',
        'order.amount == 0',
        'session.stepId == "a"',
      ].filter((text) => !holds(text)),
    ).toEqual([]);
    expect(
      [
        'event.data.nothing == 1',
        '1 / 0 == 1',
        'event.data.plan',
        'event.data.constructor == 1',
        'has(event.data.nothing)',
        'event.data.plan > 3',
      ].filter(holds),
    ).toEqual([]);
  });

  test('no string is run as anything but an expression, and none throws or takes long', () => {
    const fragments = fc.constantFrom(
      'event',
      'payment',
      '.',
      'data',
      '(',
      ')',
      '[',
      ']',
      '"',
      "'",
      '&&',
      '||',
      '!',
      '==',
      '+',
      '1',
      'x',
      'true',
      'all',
      'map',
      ',',
      '{',
      '}',
      ':',
      '?',
      '\\',
      '\n',
      '__proto__',
      'constructor',
      'process',
      'globalThis',
      '=>',
      'matches',
      'timestamp',
    );
    const texts = fc.oneof(
      fc.string({ maxLength: 60, unit: 'binary' }),
      fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const problem = expressionProblem(text);
        if (problem !== null) expect(problem).toMatch(/^must /);
        expect(typeof expressionHolds(text, factsOf('x'))).toBe('boolean');
      }),
      { numRuns: 2_000 },
    );
    for (const text of [
      '('.repeat(400),
      '['.repeat(400),
      '!'.repeat(400),
      `${'a.'.repeat(200)}b`,
      `${'1+'.repeat(200)}1 == 1`,
    ])
      expect(expressionProblem(text)).toMatch(/^must /);
  });
});

describe('which variant a visitor sees', () => {
  test('the same visitor sees the same one, in proportion to the shares', () => {
    const variants = [
      { id: 'a', percentage: 70 },
      { id: 'b', percentage: 29.5 },
      { id: 'c', percentage: 0.5 },
      { id: 'd', percentage: 0 },
    ];
    const visitors = 20_000;
    const seen: Record<string, number> = { a: 0, b: 0, c: 0, d: 0 };
    for (let visitor = 0; visitor < visitors; visitor++) {
      const drawn = variantFor(`fs_${visitor}`, 'step', variants) ?? '';
      seen[drawn] = (seen[drawn] ?? 0) + 1;
    }
    for (const { id, percentage } of variants) {
      const expected = (visitors * percentage) / 100;
      // Four standard deviations of a fair draw.
      expect(Math.abs((seen[id] ?? 0) - expected), id).toBeLessThanOrEqual(
        4 * Math.sqrt(visitors * (percentage / 100) * (1 - percentage / 100)),
      );
    }
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        (visitor, step) => variantFor(visitor, step, variants) === variantFor(visitor, step, variants),
      ),
    );
  });

  test('steps draw independently; a single variant is always chosen, and none is none', () => {
    const halves = [
      { id: 'a', percentage: 50 },
      { id: 'b', percentage: 50 },
    ];
    const both = Array.from(
      { length: 4_000 },
      (_, visitor) => `${variantFor(`${visitor}`, 'one', halves)}${variantFor(`${visitor}`, 'two', halves)}`,
    );
    for (const pair of ['aa', 'ab', 'ba', 'bb'])
      expect(Math.abs(both.filter((drawn) => drawn === pair).length - 1_000)).toBeLessThan(120);
    expect(variantFor('x', 'y', [{ id: 'only', percentage: 100 }])).toBe('only');
    expect(
      variantFor('x', 'y', [
        { id: 'never', percentage: 0 },
        { id: 'always', percentage: 100 },
      ]),
    ).toBe('always');
    expect(variantFor('x', 'y', [])).toBeNull();
  });
});

test('the event of a session for each payment status', () => {
  const eventsFor = (kind: 'checkout' | 'offer') =>
    ['pending', 'succeeded', 'partially_refunded', 'refunded', 'declined', 'failed'].map((status) =>
      eventOfPayment(status, kind),
    );
  expect(eventsFor('checkout')).toEqual([
    null,
    'payment_succeeded',
    'payment_succeeded',
    'payment_succeeded',
    'payment_declined',
    'payment_declined',
  ]);
  expect(eventsFor('offer')).toEqual([
    null,
    'offer_accepted',
    'offer_accepted',
    'offer_accepted',
    'payment_declined',
    'payment_declined',
  ]);
});
