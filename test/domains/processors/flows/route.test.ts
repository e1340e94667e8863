import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RoutedFlow, routeOf, unitOf } from '../../../../src/domains/processors/flows/route.ts';

const flow = (change: Partial<RoutedFlow> = {}): RoutedFlow => ({
  strategy: 'cascade',
  processors: [{ processorId: 'A', weight: 1 }],
  fallbacks: [
    { processorId: 'C', order: 2 },
    { processorId: 'B', order: 1 },
  ],
  maxRetries: 10,
  ...change,
});
const charge = (usable: string, keeps: string | null = null, seed = 'pay_1') => ({
  usable: new Set(usable),
  seed,
  keeps,
});

test.each([
  ['cascade: the pick, then the fallbacks in their order', flow(), charge('ABC'), 'ABC'],
  ['simple: the pick alone', flow({ strategy: 'simple', fallbacks: [] }), charge('ABC'), 'A'],
  ['simple: no fallback, even if there were one', flow({ strategy: 'simple' }), charge('ABC'), 'A'],
  ['an unusable fallback is passed over', flow(), charge('AC'), 'AC'],
  ['an unusable pick: the first fallback', flow(), charge('BC'), 'BC'],
  ['simple with an unusable pick: none', flow({ strategy: 'simple' }), charge('BC'), ''],
  ['none usable: none', flow(), charge(''), ''],
  ['one further try: one fallback', flow({ maxRetries: 1 }), charge('ABC'), 'AB'],
  ['one further try and an unusable fallback: the next one', flow({ maxRetries: 1 }), charge('AC'), 'AC'],
  ['no further try: the pick alone', flow({ maxRetries: 0 }), charge('ABC'), 'A'],
  ['no further try and an unusable pick: the first fallback', flow({ maxRetries: 0 }), charge('BC'), 'B'],
  [
    'a fallback that was the pick is not asked again',
    flow({
      fallbacks: [
        { processorId: 'A', order: 1 },
        { processorId: 'B', order: 2 },
      ],
    }),
    charge('AB'),
    'AB',
  ],
  ['the customer stays with a fallback, and the others follow', flow(), charge('ABC', 'C'), 'CB'],
  ['the customer stays with the pick', flow(), charge('ABC', 'A'), 'ABC'],
  ['the customer cannot stay with one that is unusable', flow(), charge('AB', 'C'), 'AB'],
  ['nor with one that is not of the flow', flow(), charge('ABCD', 'D'), 'ABC'],
  ['nor, in a simple flow, with a fallback', flow({ strategy: 'simple' }), charge('ABC', 'B'), 'A'],
] as const)('%s', (_what, of, requested, expected) => expect(routeOf(of, requested).join('')).toBe(expected));

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 12 });
const flows = ids.chain((all) =>
  fc.record({
    strategy: fc.constantFrom('simple' as const, 'cascade' as const),
    processors: fc
      .subarray(all, { minLength: 1 })
      .chain((some) =>
        fc.tuple(
          ...some.map((processorId) =>
            fc.record({ processorId: fc.constant(processorId), weight: fc.integer({ min: 1, max: 10_000 }) }),
          ),
        ),
      ),
    fallbacks: fc.shuffledSubarray(all).map((some) => some.map((processorId, order) => ({ processorId, order }))),
    maxRetries: fc.nat(10),
    usable: fc.subarray(all).map((some) => new Set(some)),
    seed: fc.string(),
    keeps: fc.option(fc.constantFrom(...all)),
  }),
);

describe('of any flow and charge', () => {
  test('the route has enabled processors of the flow, each once, at most 1 + maxRetries, in order', () => {
    fc.assert(
      fc.property(flows, ({ usable, seed, keeps, ...of }) => {
        const route = routeOf(of, { usable, seed, keeps });
        const named = new Set(
          [...of.processors, ...(of.strategy === 'cascade' ? of.fallbacks : [])].map(({ processorId }) => processorId),
        );
        expect(new Set(route).size).toBe(route.length);
        for (const id of route) expect(usable.has(id) && named.has(id)).toBe(true);
        expect(route.length).toBeLessThanOrEqual(of.strategy === 'cascade' ? 1 + of.maxRetries : 1);
        const orders = route
          .slice(1)
          .map((id) => of.fallbacks.find(({ processorId }) => processorId === id)?.order ?? -1);
        expect(orders).toEqual([...orders].sort((left, right) => left - right));
        // Every usable processor is in the route, unless the retries are used up.
        const reachable =
          of.strategy === 'cascade'
            ? [...named].some((id) => usable.has(id))
            : of.processors.some(({ processorId }) => usable.has(processorId));
        expect(route.length > 0).toBe(reachable);
      }),
    );
  });

  test('the same seed gives the same route, in any order of the lists', () => {
    fc.assert(
      fc.property(flows, ({ usable, seed, keeps, ...of }) => {
        const turned = {
          ...of,
          processors: [...of.processors].toReversed(),
          fallbacks: [...of.fallbacks].toReversed(),
        };
        expect(routeOf(turned, { usable, seed, keeps })).toEqual(routeOf(of, { usable, seed, keeps }));
      }),
    );
  });

  test('removing a processor moves only the customers it had', () => {
    fc.assert(
      fc.property(flows, fc.nat(11), ({ seed, ...of }, which) => {
        const all = new Set(of.processors.map(({ processorId }) => processorId));
        const removed = [...all][which % all.size] ?? '';
        const pick = (usable: ReadonlySet<string>) =>
          routeOf({ ...of, strategy: 'simple' }, { usable, seed, keeps: null })[0];
        const before = pick(all);
        if (before !== removed) expect(pick(new Set([...all].filter((id) => id !== removed)))).toBe(before);
      }),
    );
  });
});

test('the shares follow the weights', () => {
  const weights = { A: 1, B: 3, C: 6 };
  const processors = Object.entries(weights).map(([processorId, weight]) => ({ processorId, weight }));
  const picks: Record<string, number> = { A: 0, B: 0, C: 0 };
  const charges = 20_000;
  for (let n = 0; n < charges; n++) {
    const [first = ''] = routeOf(flow({ processors, fallbacks: [] }), charge('ABC', null, `pay_${n}`));
    picks[first] = (picks[first] ?? 0) + 1;
  }
  // Fixed seeds, so the shares are the same in every run; a random run would exceed the bounds once in a million.
  for (const [id, weight] of Object.entries(weights))
    expect(Math.abs((picks[id] ?? 0) / charges - weight / 10)).toBeLessThan(0.018);
});

test('a draw is between 0 and 1, both excluded', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const unit = unitOf(text);
      expect(unit > 0 && unit < 1).toBe(true);
    }),
  );
});
