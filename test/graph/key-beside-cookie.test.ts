import { expect, test } from 'vitest';
import { signedIn } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const { partnerKey } = await seedPartner(platform);

test('a key takes precedence over the cookie of a session; one that is wrong is 401, whatever the cookie is', async () => {
  const person = await signedIn(platform, { platformRoles: ['superadmin'] });
  const kindOf = async (headers: Record<string, string>) => {
    const { data, errors } = await person.graphql('{ me { kind } }', {}, headers);
    return data?.me?.kind ?? errors[0].extensions.code;
  };
  expect(await kindOf({})).toBe('session');
  expect(await kindOf({ Authorization: `Bearer ${partnerKey}` })).toBe('partnerKey');
  expect(await kindOf({ Authorization: `Bearer ${partnerKey.slice(0, -1)}` })).toBe('NOT_AUTHORIZED');
});
