import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deployPlugin } from '../../src/domains/plugins/deployments/deploy-plugin.ts';
import { createPluginInstance } from '../../src/domains/plugins/instances/configure.ts';
import { mountPluginInstance } from '../../src/domains/plugins/instances/mounts.ts';
import type { Services } from '../../src/services.ts';
import type { DemoPlugin } from '../../src/settings/demo-credentials.ts';
import { contextOf, type Shop } from './tenants.ts';

const folder = join(import.meta.dirname, 'sample-checkout');
/** How card numbers are grouped, brands known and amounts shown: as by card fields. */
const ofCardFields = ['card.js', 'money.js'];
const cardFields = join(import.meta.dirname, '../../src/domains/card-fields/browser');

/** The sample checkout, deployed, configured and mounted as by a client. */
export async function addPlugin(services: Services, { key, storeId }: Shop): Promise<DemoPlugin> {
  const { manifest, presets } = JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')) as {
    manifest: Record<string, unknown>;
    presets: Record<string, unknown>;
  }; // a file of this repository
  const inlineAssets = readdirSync(folder)
    .filter((path) => path !== 'plugin.json')
    .sort()
    .map((path) => asset(folder, path))
    .concat(ofCardFields.map((path) => asset(cardFields, path)));
  const { deploymentId } = await deployPlugin(contextOf(services, key), {
    storeId,
    manifest,
    inlineAssets,
    presets,
  });
  const { id: deploymentInstanceId } = await createPluginInstance(contextOf(services, key), {
    deploymentId,
    name: 'Checkout',
    presetName: 'default',
  });
  const alias = 'checkout';
  await mountPluginInstance(contextOf(services, key), { deploymentInstanceId, storeId, alias, basePath: '/' });
  return { deploymentId, deploymentInstanceId, storeId, alias, path: `/p/${storeId}/${alias}/` };
}

function asset(from: string, path: string): { path: string; content: string } {
  return { path, content: readFileSync(join(from, path)).toString('base64') };
}
