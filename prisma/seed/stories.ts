import type { DemoPerson } from './names.ts';
import type { Shop } from './tenants.ts';

/** One customer: its creation time, its card and its charges. */
export interface Story {
  shop: Shop;
  joined: Date;
  email: string;
  name: { firstName: string; lastName: string };
  tags: string[];
  /** A test token or a test card's number. */
  card: string;
  charges: Charge[];
  /** The processor executes the charge and its answer is lost. */
  answerIsLost: boolean;
  removesCard: boolean;
  /** Whether the first charge pays an order. */
  hasOrder: boolean;
  /** The later history of the first charge. */
  sequel?: ChargeAftermath;
}

interface Charge {
  moment: Date;
  amount: number;
  initiatedBy: 'customer' | 'merchant';
  challenge?: Challenge;
}

/** The challenge is answered, expires, or is still open. */
type Challenge = 'success' | 'fail' | 'unanswered' | 'open';

/**
 * An authorization is captured in whole or part, voided, expired, or still held; a captured amount is refunded in whole
 * or part.
 */
export type ChargeAftermath =
  | 'captured'
  | 'partlyCaptured'
  | 'voided'
  | 'expired'
  | 'held'
  | 'refunded'
  | 'partlyRefunded';

type Turn = {
  card: string;
  challenge?: Challenge;
  renewals?: number;
  answerIsLost?: true;
  sequel?: ChargeAftermath;
  isUnwelcome?: true;
};

/** The customers that the demo merchant's block rule declines. */
export const unwelcomeDomain = 'disposable.example.com';

const approved: Turn[] = [
  { card: 'tok_visa', renewals: 2 },
  { card: 'tok_mastercard', renewals: 1 },
  { card: 'tok_amex' },
];

/** The other cases; between them, approved cards. Together they reach every state of a payment. */
const special: Turn[] = [
  { card: '4000000000000002' },
  { card: 'tok_visa', sequel: 'captured' },
  { card: '4000000000003220', challenge: 'success' },
  { card: '4000000000009995' },
  { card: '4000000000000119' },
  { card: 'tok_visa', sequel: 'refunded' },
  { card: 'tok_mastercard', sequel: 'voided' },
  { card: '4000002760003184', challenge: 'fail' },
  { card: '4000000000009987' },
  { card: '4000000000003220', challenge: 'unanswered' },
  { card: '4000000000000069' },
  { card: 'tok_amex', sequel: 'partlyRefunded' },
  { card: 'tok_visa', isUnwelcome: true },
  { card: '4000000000000341', renewals: 1 },
  { card: '4000008400001629', challenge: 'success' },
  { card: 'tok_visa', sequel: 'expired' },
  { card: 'tok_mastercard', sequel: 'partlyCaptured' },
  { card: '4000000000000127' },
  { card: '4000000000006975', answerIsLost: true },
  { card: '4000000000003063' },
];

const newest = [
  { card: 'tok_visa', sequel: 'held' },
  { card: 'tok_visa_3ds', challenge: 'open' },
] as const satisfies Turn[];

const tags = ['source:newsletter', 'source:search', 'tier:gold', 'tier:silver'];
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * The same customers at every first start, except for the date. Among the newest few, two have an open authorization
 * and two an open challenge.
 */
export function newStory(
  shop: Shop,
  index: number,
  { began, now }: { began: Date; now: Date },
  person: DemoPerson,
): Story {
  const isNewest = shop.name === 'demo' && index >= shop.customers - 4;
  const turn: Turn = isNewest ? (newest[index % newest.length] ?? newest[0]) : turnOf(shop, index);
  // Spread evenly and ending hours before now, so that everything that takes minutes has ended; odd minutes make the
  // times look less regular.
  const span = now.getTime() - began.getTime() - 4 * hourMs;
  const place = isNewest
    ? now.getTime() - (shop.customers - index) * 240_000
    : began.getTime() + Math.floor((span * (index + 0.5)) / shop.customers) + ((index * 7919) % 3_000) * 1_000;
  const joined = new Date(place);
  const renewals = Array.from(
    { length: turn.renewals ?? 0 },
    (_, renewal) => new Date(place + (renewal + 1) * 14 * dayMs),
  ).filter((moment) => moment.getTime() < now.getTime() - hourMs);
  const { email, ...name } = person;
  const first: Charge = {
    moment: new Date(place + 60_000),
    amount: amountOf(shop, index),
    initiatedBy: 'customer',
    ...(turn.challenge && { challenge: turn.challenge }),
  };
  return {
    shop,
    joined,
    email: turn.isUnwelcome ? email.replace('example.com', unwelcomeDomain) : email,
    name,
    tags: index % 3 === 0 ? [tags[index % tags.length] ?? '', 'demo:seed'] : [],
    card: turn.card,
    charges: [first, ...renewals.map((moment): Charge => ({ moment, amount: first.amount, initiatedBy: 'merchant' }))],
    answerIsLost: turn.answerIsLost ?? false,
    removesCard: index % 23 === 7,
    hasOrder: isNewest || index % 6 === 5,
    ...(turn.sequel && { sequel: turn.sequel }),
  };
}

function turnOf(shop: Shop, index: number): Turn {
  // Live mode rejects test cards and has no built-in processor: every charge fails with no_processor.
  if (shop.key.tenant.mode === 'live') return { card: '4111111111111111' };
  const turn =
    index % 3 === 2
      ? special[Math.floor(index / 3) % special.length]
      : approved[(index + Math.floor(index / 3)) % approved.length];
  return turn ?? { card: 'tok_visa' };
}

/** A plausible price; a yen has no minor unit. */
function amountOf({ currency }: Shop, index: number): number {
  const price = 5 + ((index * 37) % 240);
  return currency === 'JPY' ? price * 100 : price * 100 + 99 - (index % 2) * 50;
}
