import { expect, test } from 'vitest';
import { peopleOf } from '../iam/identity/people.ts';
import { usePlatform } from '../support/platform.ts';

const platform = await usePlatform({ identityProvider: 'embedded', env: { TRUST_PROXY: '1' } });

async function signIn(email: string, password: string, address: string): Promise<number> {
  const response = await fetch(`${platform.url}/idp/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify({ email, password }),
  });
  return response.status;
}

test('a sign-in is answered before half of the 20 that another address has begun', async () => {
  const person = await peopleOf(platform).create();
  let answered = 0;
  const flood = Array.from({ length: 20 }, async (_, n) => {
    const status = await signIn(`unknown${n}@example.com`, 'wrong wrong', '198.51.100.20');
    answered += 1;
    return status;
  });
  await Promise.race(flood);
  expect(await signIn(person.email, person.password, '203.0.113.20')).toBe(200);
  expect(answered).toBeLessThan(10);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
});
