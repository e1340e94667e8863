import { afterAll, beforeAll } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { makePartner, type SignedIn, signedIn } from './people.ts';

/** A platform with a superadmin and a hubadmin, for the tests of a file. */
export function accessWorld() {
  let platform: TestPlatform;
  let superadmin: SignedIn;
  let hub: SignedIn;
  let n = 0;

  beforeAll(async () => {
    platform = await startTestPlatform();
    superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
    hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
  });
  afterAll(() => platform?.close());

  const accessOf = async (id: string) => {
    const user = await platform.services.identityProvider.getUser(id);
    return { platformRoles: user?.platformRoles, whitelabelOwnership: user?.whitelabelOwnership };
  };
  const mirrorOf = (idpUserId: string) =>
    platform.services.prisma.iamUser.findUnique({
      where: { idpUserId },
      select: { platformRoles: true, whitelabelOwnership: true },
    });
  const partner = () => makePartner(platform, `partner-${++n}`);

  return {
    get platform() {
      return platform;
    },
    get superadmin() {
      return superadmin;
    },
    /** Of a test after which another person is the superadmin. */
    set superadmin(person) {
      superadmin = person;
    },
    get hub() {
      return hub;
    },
    accessOf,
    mirrorOf,
    partner,
  };
}
