import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { disableRateLimits } from '../../support/rates.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';
import { type Plugins, pluginsOf } from './sample.ts';

/** A platform with an account of each test, which deploys plugins. */
export function deploymentWorld() {
  let platform: TestPlatform;
  let partner: SeededPartner;
  let account: SeededAccount;
  let plugins: Plugins;
  beforeAll(async () => {
    platform = await startTestPlatform();
    await disableRateLimits(platform);
    partner = await seedPartner(platform);
  });
  afterAll(() => platform?.close());
  beforeEach(async () => {
    account = await partner.account();
    plugins = pluginsOf(account.api);
  });

  const blobs = async () =>
    (await platform.services.pool.query('SELECT sha256 FROM plugin_blobs WHERE "platformAccountId" = $1', [account.id]))
      .rows.length;
  const eventsOf = async (objectId: string) =>
    (await account.api.ok('/events/list', { filters: { objectId } })).items.map(
      ({ type, sequence }: { type: string; sequence: number }) => `${sequence} ${type}`,
    );

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
    get plugins() {
      return plugins;
    },
    blobs,
    eventsOf,
  };
}
