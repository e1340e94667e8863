import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPluginInstance } from '../../src/domains/plugins/create-plugin-instance.ts';
import { deployPlugin } from '../../src/domains/plugins/deploy-plugin.ts';
import { mountPluginInstance } from '../../src/domains/plugins/mount-plugin-instance.ts';
import type { DemoPlugin } from '../../src/runtime/demo-credentials.ts';
import type { Services } from '../../src/services.ts';
import { contextOf, type Shop } from './tenants.ts';

const folder = join(import.meta.dirname, 'sample-checkout');
/** The rules by which card numbers are grouped and brands known: those of card fields. */
const cardRules = join(import.meta.dirname, '../../src/domains/card-fields/browser/card.js');

/** The sample checkout, deployed, configured and mounted as by a client. */
export async function addPlugin(services: Services, { caller, storeId }: Shop): Promise<DemoPlugin> {
  const { manifest, presets } = JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')) as {
    manifest: Record<string, unknown>;
    presets: Record<string, unknown>;
  }; // a file of this repository
  const inlineAssets = readdirSync(folder)
    .filter((path) => path !== 'plugin.json')
    .sort()
    .map((path) => ({ path, content: readFileSync(join(folder, path)).toString('base64') }))
    .concat({ path: 'card.js', content: readFileSync(cardRules).toString('base64') });
  const { deploymentId } = await deployPlugin(contextOf(services, caller), {
    storeId,
    manifest,
    inlineAssets,
    presets,
  });
  const { id: deploymentInstanceId } = await createPluginInstance(contextOf(services, caller), {
    deploymentId,
    name: 'Checkout',
    presetName: 'default',
  });
  const alias = 'checkout';
  await mountPluginInstance(contextOf(services, caller), { deploymentInstanceId, storeId, alias, basePath: '/' });
  return { deploymentId, deploymentInstanceId, storeId, alias, path: `/p/${storeId}/${alias}/` };
}
