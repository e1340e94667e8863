import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../../src/env.ts';
import type { DemoPlugin } from '../../src/kit/demo.ts';
import { createPluginInstance, deployPlugin, mountPluginInstance } from '../../src/plugins/operations.ts';
import { contextOf, type Shop } from './tenants.ts';

const folder = join(import.meta.dirname, 'sample-checkout');

/** The sample checkout, deployed, configured and mounted as a client would do it. */
export async function addPlugin(env: Env, { caller, storeId }: Shop): Promise<DemoPlugin> {
  const { manifest, presets } = JSON.parse(readFileSync(join(folder, 'plugin.json'), 'utf8')) as {
    manifest: Record<string, unknown>;
    presets: Record<string, unknown>;
  }; // our own file
  const inlineAssets = readdirSync(folder)
    .filter((path) => path !== 'plugin.json')
    .sort()
    .map((path) => ({ path, content: readFileSync(join(folder, path)).toString('base64') }));
  const { deploymentId } = await deployPlugin(contextOf(env, caller), { storeId, manifest, inlineAssets, presets });
  const { id: deploymentInstanceId } = await createPluginInstance(contextOf(env, caller), {
    deploymentId,
    name: 'Checkout',
    presetName: 'default',
  });
  const alias = 'checkout';
  await mountPluginInstance(contextOf(env, caller), { deploymentInstanceId, storeId, alias, basePath: '/' });
  return { deploymentId, deploymentInstanceId, storeId, alias, path: `/p/${storeId}/${alias}/` };
}
