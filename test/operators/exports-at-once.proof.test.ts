import { expect, test } from 'vitest';
import { type SignedIn, signedIn } from '../iam/people.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const hub = await signedIn(platform, { platformRoles: ['hubadmin'] });

/** Two people of a partner whose export of events is too long for the buffers of a connection. */
async function peopleOfPartner(): Promise<[SignedIn, SignedIn]> {
  const partner = await seedPartner(platform);
  const { id } = await partner.account();
  await asOwner(
    platform,
    `INSERT INTO events (id, type, mode, "partnerId", "platformAccountId", "objectId", sequence, "requestId", data,
       "createdAt")
     SELECT 'evt_' || $2 || n, 'order/canceled', 'test', $1, $2, 'obj_' || $2 || n, 1, repeat('x', 2000), '{}', now()
     FROM generate_series(1, 8000) n`,
    [partner.id, id],
  );
  const access = { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug };
  return [await signedIn(platform, access), await signedIn(platform, access)];
}

async function begin(person: SignedIn): Promise<string> {
  const { data } = await person.graphql('mutation { createExport(list: { events: {} }, mode: test) { url } }');
  return data.createExport.url;
}
const headers = (person: SignedIn) => ({ Cookie: person.cookie });
const statusOfHead = async (person: SignedIn) =>
  (await fetch(await begin(person), { method: 'HEAD', headers: headers(person) })).status;

test('200 for the twelfth file of the people of all partners at once, 429 for the thirteenth, and 200 for internal staff', async () => {
  const leaving = new AbortController();
  /** The downloads that are not read. fetch ends one that is garbage. */
  const taken: Response[] = [];
  const take = async (person: SignedIn) => {
    const response = await fetch(await begin(person), { headers: headers(person), signal: leaving.signal });
    taken.push(response);
    return response.status;
  };
  const [further] = await peopleOfPartner();
  for (let partner = 1; partner <= 4; partner++) {
    const [first, second] = await peopleOfPartner();
    expect([await take(first), await take(first)]).toEqual([200, 200]);
    expect(await statusOfHead(further)).toBe(200);
    expect(await take(second)).toBe(200);
  }
  expect(await statusOfHead(further)).toBe(429);
  expect(await statusOfHead(hub)).toBe(200);
  expect(taken).toHaveLength(12);
  leaving.abort();
  await expect.poll(() => statusOfHead(further), { timeout: 30_000, interval: 5_000 }).toBe(200);
});
