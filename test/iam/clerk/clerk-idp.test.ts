import { openClerkIdp } from '../../../src/adapters/clerk/clerk-idp.ts';
import type { IdpEvent } from '../../../src/ports/identity-provider.ts';
import { startClerkStandIn } from '../../support/clerk-stand-in.ts';
import { dropDatabase, emptyDatabase } from '../../support/database.ts';
import { testConfig } from '../../support/platform.ts';
import { identityProviderSuite } from '../identity/port-suite.ts';

identityProviderSuite('clerk', async () => {
  const databaseUrl = await emptyDatabase();
  const standIn = await startClerkStandIn(databaseUrl);
  const { identity, publicUrl } = testConfig(databaseUrl, standIn.env);
  if (identity.kind !== 'clerk') throw new Error('The stand-in configures Clerk.');
  const idp = openClerkIdp({ ...identity, publicUrl });
  const events: IdpEvent[] = [];
  standIn.deliverTo(async (message) => void events.push(await idp.parseWebhook(message)));
  return {
    idp,
    createUser: (email) => standIn.idp.createUser({ email, password: 'correct horse battery' }),
    createOrganization: (name) => standIn.idp.createOrganization({ name }),
    addMember: standIn.idp.addMember,
    openSession: standIn.openSession,
    async received() {
      await standIn.idp.flush();
      return events;
    },
    async close() {
      await standIn.close();
      await dropDatabase(databaseUrl);
    },
  };
});
