import { builder } from '../../graph/builder.ts';
import type { DeployedPlugin as DeployedPluginResult } from './deploy-plugin.ts';
import { PluginInstance } from './instance-types.ts';
import { mountUrl } from './page-url.ts';
import type { SyncedPlugin as SyncedPluginResult } from './sync-plugin-config.ts';

const violatingDescription =
  'The instances whose live configuration violates the schema, prefix `pin_`. It stays live; the next configuration ' +
  'must satisfy the schema. Null if there are none.';

export const DeployedPlugin = builder.objectRef<DeployedPluginResult>('DeployedPlugin').implement({
  description: 'The result of a deployment.',
  fields: (t) => ({
    deploymentId: t.exposeID('deploymentId', {
      description: 'The deployment, prefix `dep_`. Unchanged if the version was overwritten.',
    }),
    pluginId: t.exposeID('pluginId', { description: 'Your identifier of the plugin.' }),
    version: t.exposeString('version', { description: 'The semantic version of the plugin.' }),
    url: t.string({
      description: 'The address at which the deployment can be previewed before it is mounted.',
      resolve: ({ storeId, deploymentId }, _args, { services }) =>
        mountUrl(services.config.publicUrl, { storeId, alias: deploymentId, basePath: '/' }),
    }),
    instance: t.field({
      type: PluginInstance,
      nullable: true,
      description: 'The instance of the deployment in the store. Null unless `autoInstantiate` was set.',
      resolve: ({ instance }) => instance,
    }),
    violatingInstances: t.idList({
      nullable: true,
      description: violatingDescription,
      resolve: ({ violatingInstances }) => (violatingInstances.length > 0 ? violatingInstances : null),
    }),
  }),
});

export const SyncedPlugin = builder.objectRef<SyncedPluginResult>('SyncedPlugin').implement({
  description: 'The result of a change of presets and schemas.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Always true.' }),
    deploymentId: t.exposeID('deploymentId', { description: 'The deployment, prefix `dep_`.' }),
    presets: t.exposeStringList('presets', { description: 'The names of the presets of the deployment.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the deployment last changed. A call that changes nothing does not set it.',
    }),
    violatingInstances: t.idList({
      nullable: true,
      description: violatingDescription,
      resolve: ({ violatingInstances }) => (violatingInstances.length > 0 ? violatingInstances : null),
    }),
  }),
});
