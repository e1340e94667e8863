import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { manualClock } from '../../../../src/lib/clock.ts';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { disableRateLimits } from '../../../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../../support/seed.ts';

type Charged = Awaited<ReturnType<SeededAccount['charge']>>;

/**
 * A platform with a test and a live account, for the tests of a file. After each test its captured amounts are those of
 * the processor.
 */
export function paymentWorld() {
  const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));
  let platform: TestPlatform;
  let partner: SeededPartner;
  let account: SeededAccount;
  let live: SeededAccount;

  beforeAll(async () => {
    platform = await startTestPlatform({ clock });
    await disableRateLimits(platform);
    partner = await seedPartner(platform);
    account = await partner.account();
    live = await (await seedPartner(platform, 'live', partner.id)).account();
  });
  afterAll(() => platform?.close());

  /** The events of an object, checked to be numbered from 1 without gaps. */
  async function eventsOf(objectId: unknown): Promise<string[]> {
    const { rows } = await platform.services.pool.query(
      'SELECT type, sequence FROM events WHERE "objectId" = $1 ORDER BY sequence',
      [objectId],
    );
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_row, index) => index + 1));
    return rows.map(({ type }) => type);
  }

  const stateOf = ({ payment, transactions }: Charged) => [
    payment['status'],
    payment['subStatus'],
    payment['failureCode'],
    transactions.at(-1)?.['status'],
  ];
  const sessionOf = ({ payment }: Charged): string =>
    (payment['requireActionData'] as { threedsSessionId: string }).threedsSessionId;
  const proceed = ({ payment }: Charged): Promise<Charged> =>
    account.api.ok('/payments/continue', { paymentId: payment['id'] });

  async function answer(session: string, outcome: string) {
    const response = await fetch(`${platform.url}/test/3ds/${session}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ outcome }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** The test processor's records of a payment. */
  async function readRecordedCharges({ transactions }: Charged): Promise<unknown> {
    const { rows } = await platform.services.pool.query(
      'SELECT status, "capturedAmount"::int AS captured FROM test_processor.charges WHERE reference = $1',
      [transactions[0]?.['id']],
    );
    return rows;
  }

  afterEach(async () => {
    // After every test: the captured amounts equal those in the processor's records.
    const { rows } = await platform.services.pool.query(
      `SELECT p.id
        FROM payments p
        JOIN transactions t ON t."paymentId" = p.id
        LEFT JOIN test_processor.charges c ON c.reference = t.id
        WHERE p."capturedAmount" <> coalesce(c."capturedAmount", 0) AND p.status <> 'pending'`,
    );
    expect(rows).toEqual([]);
  });

  return {
    get platform() {
      return platform;
    },
    get partner() {
      return partner;
    },
    get account() {
      return account;
    },
    get live() {
      return live;
    },
    clock,
    eventsOf,
    stateOf,
    sessionOf,
    proceed,
    answer,
    readRecordedCharges,
  };
}
