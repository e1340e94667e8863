import { expect } from 'vitest';
import { below, pick } from './dice.ts';
import { ask, type World } from './world.ts';

const off = {
  latencyMs: null,
  declineRate: null,
  declineCode: null,
  errorRate: null,
  lostAnswerRate: null,
  down: null,
};
const codes = ['card_declined', 'insufficient_funds', 'lost_card', 'expired_card'] as const;

/** Sets at most one fault of one processor, and often none. Another processor may be disabled for new charges. */
export async function throwSwitch({ merchants }: World, random: () => number): Promise<void> {
  const merchant = pick(
    merchants.filter(({ processors }) => processors.length > 0),
    random,
  );
  const processor = pick(merchant.processors, random);
  const faults = [
    {},
    {},
    {},
    { declineRate: 0.6, declineCode: pick(codes, random) },
    { errorRate: 0.5 },
    { lostAnswerRate: 0.5 },
    { latencyMs: below(4_000, random) },
    { down: true },
  ];
  const enabled = random() < 0.85;
  const answer = await ask(
    merchant,
    `/processors/${processor.id}`,
    { options: { ...off, ...pick(faults, random) }, enabled },
    { method: 'PUT' },
  );
  expect(answer.status).toBe(200);
  processor.enabled = enabled;
}

/** Removes all faults. */
export async function throwAllSwitchesBack({ merchants }: World): Promise<void> {
  for (const merchant of merchants) {
    for (const processor of merchant.processors) {
      expect(
        (await ask(merchant, `/processors/${processor.id}`, { options: off, enabled: true }, { method: 'PUT' })).status,
      ).toBe(200);
      processor.enabled = true;
    }
  }
}

/** Charges in progress keep their route; the next charge takes the new one. */
export async function changeFlow({ merchants }: World, random: () => number): Promise<void> {
  const merchant = pick(
    merchants.filter(({ flows }) => flows.length > 0),
    random,
  );
  const at = below(merchant.flows.length, random);
  const before = merchant.flows[at];
  if (!before) return;
  const shuffled = merchant.processors
    .map(({ id }) => ({ id, at: random() }))
    .sort((left, right) => left.at - right.at)
    .map(({ id }) => id);
  const strategy = random() < 0.7 ? ('cascade' as const) : ('simple' as const);
  const changes = {
    strategy,
    processors: shuffled
      .slice(0, 1 + below(3, random))
      .map((processorId) => ({ processorId, weight: 1 + below(5, random) })),
    fallbacks:
      strategy === 'simple'
        ? []
        : shuffled.slice(below(3, random)).map((processorId, order) => ({ processorId, order })),
    maxRetries: below(4, random),
    sticky: random() < 0.5,
  };
  expect((await ask(merchant, `/payment-flows/${before.id}`, changes, { method: 'PUT' })).status).toBe(200);
  merchant.flows[at] = { ...before, ...changes };
}
