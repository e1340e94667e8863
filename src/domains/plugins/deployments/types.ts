import type { PluginAsset as PluginAssetRow } from '../../../generated/prisma/client.ts';
import { builder } from '../../../graph/builder.ts';
import { isJsonObject } from '../../../graph/input/check.ts';
import { PluginInstance } from '../instances/types.ts';
import { mountUrl } from '../page-url.ts';
import { assetsOf } from './assets.ts';
import type { DeployedPlugin as DeployedPluginResult } from './deploy-plugin.ts';
import type { ManifestPage } from './manifest.ts';
import { deploymentUrl, presetNames } from './rows.ts';
import type { SyncedPlugin as SyncedPluginResult } from './sync-plugin-config.ts';

const PluginPage = builder.objectRef<ManifestPage>('PluginPage').implement({
  description: 'A page that a plugin serves.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path of the page below the mount, such as `/checkout`.' }),
    name: t.string({
      nullable: true,
      description: 'The display name of the page. Null if the manifest gives none.',
      resolve: ({ name }) => name ?? null,
    }),
    isDefault: t.boolean({
      description:
        'Whether the manifest marks the page as the default one, which is also served at the root of a mount.',
      resolve: ({ isDefault }) => isDefault ?? false,
    }),
  }),
});

const PluginAsset = builder.objectRef<PluginAssetRow>('PluginAsset').implement({
  description: 'A file of a plugin deployment.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path of the file below the mount, without a leading slash.' }),
    contentType: t.exposeString('contentType', { description: 'The content type that the file is served with.' }),
    size: t.exposeInt('size', { description: 'The size of the file in bytes.' }),
    sha256: t.exposeString('sha256', {
      description:
        'The SHA-256 hash of the file, 64 hexadecimal digits. An address with the query parameter `v` set to at ' +
        'least the first 16 of them can be cached permanently.',
    }),
  }),
});

export const PluginDeployment = builder.prismaObject('PluginDeployment', {
  description: 'A version of a plugin that is deployed in an account: its files and the schema of its configurations.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the deployment, prefix `dep_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the deployment belongs to, prefix `tpa_`.',
    }),
    storeId: t.exposeID('storeId', {
      description:
        'The store that the version was deployed through, prefix `store_`. Any store of the account can have ' +
        'instances of it.',
    }),
    pluginId: t.exposeID('pluginId', {
      description: 'Your identifier of the plugin, the same in all its versions.',
    }),
    version: t.exposeString('version', { description: 'The semantic version of the plugin.' }),
    name: t.exposeString('name', { description: 'The display name of the plugin.' }),
    url: t.string({
      description:
        'The address at which the deployment can be previewed before it is mounted. The preview uses the preset ' +
        '`default`, or else the first preset.',
      resolve: (deployment, _args, { services }) => deploymentUrl(deployment, services.config.publicUrl),
    }),
    manifest: t.field({
      type: 'JSONObject',
      description: 'The manifest as it was sent, without `configuration`.',
      resolve: ({ manifest }) => manifest,
    }),
    pages: t.field({
      type: [PluginPage],
      description: 'The pages that the plugin serves, in the order of the manifest.',
      // validated when it was deployed
      resolve: ({ manifest }) => (isJsonObject(manifest) ? manifest['pages'] : []) as never,
    }),
    presets: t.field({
      type: 'JSONObject',
      description: 'Configurations by name, from which instances can be created.',
      resolve: ({ presets }) => presets,
    }),
    presetNames: t.stringList({ description: 'The names of the presets.', resolve: presetNames }),
    schema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'The JSON Schema that every configuration must satisfy. Null if any configuration is valid.',
      resolve: ({ schema }) => schema,
    }),
    uiSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'How a form shows the configuration, in a form of your own. Null if not set.',
      resolve: ({ uiSchema }) => uiSchema,
    }),
    assetCount: t.exposeInt('assetCount', { description: 'The number of files of the deployment.' }),
    assetBytes: t.exposeInt('assetBytes', {
      description: 'The total size of the files in bytes. Equal files of an account are stored once.',
    }),
    assets: t.field({
      type: [PluginAsset],
      description: 'The files of the deployment, in the order of their paths.',
      complexity: 20,
      resolve: (deployment, _args, context) => assetsOf(context, deployment),
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time at which the version was first deployed.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the version was last deployed or its presets or schemas last changed.',
    }),
  }),
});

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
