import type { PluginAsset } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { isJsonObject } from '../graph/input.ts';
import { DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { contentTypeList } from './assets.ts';
import type { DeployedPlugin } from './deploy-plugin.ts';
import { PluginInstance } from './instances-schema.ts';
import type { Page } from './manifest.ts';
import { mountUrl } from './mounts.ts';
import {
  assetsOf,
  deletePluginDeployment,
  deployPlugin,
  listPluginDeployments,
  readPluginDeployment,
  syncPluginConfig,
} from './operations.ts';
import { presetNames } from './plugin-records.ts';
import './scalars.ts';
import type { SyncedPlugin } from './sync-plugin-config.ts';

const PluginPage = builder.objectRef<Page>('PluginPage').implement({
  description: 'A page that a plugin serves.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Below the mount, such as `/checkout`.' }),
    name: t.string({ nullable: true, description: 'What people call it.', resolve: ({ name }) => name ?? null }),
    isDefault: t.boolean({
      description: 'Whether it was marked as the one that also answers at the root of a mount.',
      resolve: ({ isDefault }) => isDefault ?? false,
    }),
  }),
});

const PluginAssetRef = builder.objectRef<PluginAsset>('PluginAsset').implement({
  description: 'A file of a deployment.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its path below the mount, without a slash in front.' }),
    contentType: t.exposeString('contentType', { description: 'As what it is served.' }),
    size: t.exposeInt('size', { description: 'Bytes.' }),
    sha256: t.exposeString('sha256', {
      description:
        'SHA-256 of its bytes, in hexadecimal. With `?v=` and at least its first 16 characters, the address may be cached for ever.',
    }),
  }),
});

const PluginDeployment = builder.prismaObject('PluginDeployment', {
  description: 'A version of a plugin, deployed into an account: its files, and what may be configured.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `dep_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    storeId: t.exposeString('storeId', {
      description: 'The store it was deployed through, prefix `store_`. Instances may be of any store of the account.',
    }),
    pluginId: t.exposeString('pluginId', { description: 'Your own name of the plugin.' }),
    version: t.exposeString('version', { description: 'Semantic version.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    url: t.string({
      description: 'Where it can be looked at before it is mounted, with its preset `default`, or else its first one.',
      resolve: ({ storeId, id }, _args, { env }) =>
        mountUrl(env.config.publicUrl, { storeId, alias: id, basePath: '/' }),
    }),
    manifest: t.field({
      type: 'JSONObject',
      description: 'The manifest as it was given, without `configuration`.',
      resolve: ({ manifest }) => manifest,
    }),
    pages: t.field({
      type: [PluginPage],
      description: 'The pages it serves.',
      resolve: ({ manifest }) => (isJsonObject(manifest) ? manifest['pages'] : []) as never,
    }), // what was deployed has been checked
    presets: t.field({
      type: 'JSONObject',
      description: 'Ready configurations, by name.',
      resolve: ({ presets }) => presets,
    }),
    presetNames: t.stringList({ description: 'The names of the presets.', resolve: presetNames }),
    schema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'JSON Schema that every configuration satisfies; null when anything goes.',
      resolve: ({ schema }) => schema,
    }),
    uiSchema: t.field({
      type: 'JSONObject',
      nullable: true,
      description: 'How a form is to show it; free-form.',
      resolve: ({ uiSchema }) => uiSchema,
    }),
    assetCount: t.exposeInt('assetCount', { description: 'How many files it has.' }),
    assetBytes: t.exposeInt('assetBytes', { description: 'Their size in all. An account keeps the same bytes once.' }),
    assets: t.field({
      type: [PluginAssetRef],
      description: 'Its files, by path.',
      complexity: 20,
      resolve: (deployment, _args, context) => assetsOf(context, deployment),
    }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: ({ mode }) => mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was deployed first.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it was last deployed over, or its configuration synced.',
    }),
  }),
});

const violating =
  'Instances whose live configuration the schema does not take (any more). They stay live with it; their next configuration must satisfy the schema.';

const DeployedPluginRef = builder.objectRef<DeployedPlugin>('DeployedPlugin').implement({
  description: 'What came of a deployment.',
  fields: (t) => ({
    deploymentId: t.exposeString('deploymentId', {
      description: 'The deployment, prefix `dep_`; the same as before when it was overwritten.',
    }),
    pluginId: t.exposeString('pluginId', { description: 'The plugin.' }),
    version: t.exposeString('version', { description: 'The version.' }),
    url: t.string({
      description: 'Where the deployment can be looked at before it is mounted.',
      resolve: ({ storeId, deploymentId }, _args, { env }) =>
        mountUrl(env.config.publicUrl, { storeId, alias: deploymentId, basePath: '/' }),
    }),
    instance: t.field({
      type: PluginInstance,
      nullable: true,
      description: "The store's instance, with `autoInstantiate`.",
      resolve: ({ instance }) => instance,
    }),
    violatingInstances: t.stringList({
      nullable: true,
      description: `${violating} Null when there are none.`,
      resolve: ({ violatingInstances }) => (violatingInstances.length > 0 ? violatingInstances : null),
    }),
  }),
});

const SyncedPluginRef = builder.objectRef<SyncedPlugin>('SyncedPlugin').implement({
  description: 'What may be configured from now on.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Always true.' }),
    deploymentId: t.exposeString('deploymentId', { description: 'The deployment, prefix `dep_`.' }),
    presets: t.exposeStringList('presets', { description: 'The names of its presets.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the deployment last changed. A call that changes nothing leaves it.',
    }),
    violatingInstances: t.stringList({
      nullable: true,
      description: `${violating} Null when there are none.`,
      resolve: ({ violatingInstances }) => (violatingInstances.length > 0 ? violatingInstances : null),
    }),
  }),
});

const PluginDeploymentPage = pageType('PluginDeploymentPage', PluginDeployment, 'plugin deployments');
const PluginDeploymentSort = sortInput('PluginDeploymentSort', ['createdAt', 'name']);

export const PluginDeploymentFilters = builder.inputType('PluginDeploymentFilters', {
  description: 'Which deployments. All that are given must hold.',
  fields: (t) => ({
    pluginId: t.stringList({ description: 'Of any of these plugins.' }),
    version: t.stringList({ description: 'Any of these versions.' }),
    storeId: t.stringList({ description: 'Deployed through any of these stores.' }),
    name: t.field({ type: TextFilter, description: 'Their name.' }),
    createdAt: t.field({ type: DateFilter, description: 'When they were deployed first.' }),
  }),
});

const InlineAsset = builder.inputType('InlineAsset', {
  description: 'A file of a plugin.',
  fields: (t) => ({
    path: t.string({
      required: true,
      description:
        'Relative path of at most 200 characters, such as `index.html` or `img/logo.svg`: `A-Z`, `a-z`, `0-9`, `.`, `_`, `~`, `@`, `+` and `-` between slashes, never `.` or `..` as a part. Each path once; a slash in front is dropped.',
    }),
    content: t.string({ required: true, description: 'Its bytes in base64 (standard alphabet, padded).' }),
    contentType: t.string({
      description: `As what it is served; known by the ending of the path when left out. One of: ${contentTypeList.map((type) => `\`${type}\``).join(', ')}.`,
    }),
  }),
});

export const DeployPluginInput = builder.inputType('DeployPluginInput', {
  description: 'A version of a plugin. At most 5 MiB in all over REST, 1 MiB over GraphQL.',
  fields: (t) => ({
    storeId: t.string({
      description:
        'The store it is deployed through, prefix `store_`. Required with a partner key, and with a sub-key whose account has several stores.',
    }),
    manifest: t.field({ type: 'PluginManifest', required: true, description: 'What the plugin is.' }),
    inlineAssets: t.field({
      type: [InlineAsset],
      description:
        'Its files, at most 300. Every page needs one: `<path>.html`, `<path>/index.html` or `index.html`. An account keeps at most 256 MiB, the same bytes once.',
    }),
    presets: t.field({
      type: 'JSONObject',
      description:
        'Ready configurations by name: at most 50, of 64 KiB each and 256 KiB in all. Each must satisfy the schema.',
    }),
    overwrite: t.boolean({
      description:
        'Replaces this version when it is deployed already (default false: 409). The deployment keeps its id; its instances stay, with their configurations.',
    }),
    autoInstantiate: t.boolean({
      description:
        'Makes an instance in the store as well, unless it has one of this deployment (default false). It begins with the preset `default`, or the first one, or nothing.',
    }),
  }),
});

export const SyncPluginConfigInput = builder.inputType('SyncPluginConfigInput', {
  description: 'What may be configured from now on. What is left out stays.',
  fields: (t) => ({
    deploymentId: t.string({ required: true, description: 'The deployment, prefix `dep_`.' }),
    presets: t.field({
      type: 'JSONObject',
      description: 'Ready configurations by name; replaces all of them. At most 50, of 64 KiB each and 256 KiB in all.',
    }),
    schema: t.field({
      type: 'JSONObject',
      description:
        'JSON Schema (2020-12, or draft-07 by its `$schema`) of at most 64 KiB and 2,000 values, without references to elsewhere; at most 100 patterns, in RE2 syntax. Null: anything goes.',
    }),
    uiSchema: t.field({
      type: 'JSONObject',
      description: 'How a form is to show it; free-form, at most 64 KiB. Null: none.',
    }),
  }),
});

const deploymentId = { required: true, description: 'The deployment, prefix `dep_`.' } as const;

builder.queryFields((t) => ({
  pluginDeployment: t.withAuth({ key: true }).field({
    type: PluginDeployment,
    description: 'One plugin deployment. 404 when it is not within the reach of the key.',
    args: { deploymentId: t.arg.string(deploymentId) },
    resolve: (_root, args, context) => readPluginDeployment(context, args.deploymentId),
  }),
  pluginDeployments: t.withAuth({ key: true }).field({
    type: PluginDeploymentPage,
    description:
      "The plugin deployments of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: PluginDeploymentSort, description: 'The order.' }),
      filters: t.arg({ type: PluginDeploymentFilters, description: 'Which deployments.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPluginDeployments(context, args),
  }),
}));

builder.mutationFields((t) => ({
  deployPlugin: t.withAuth({ key: true }).field({
    type: DeployedPluginRef,
    description:
      'Deploys a version of a plugin, all of it or nothing. 400 with an issue for everything that is wrong, such as `presets.default.color`; 409 when this version is deployed already and `overwrite` is not said.',
    args: { input: t.arg({ type: DeployPluginInput, required: true, description: 'The plugin.' }) },
    resolve: (_root, { input }, context) => deployPlugin(context, input),
  }),
  deletePluginDeployment: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Removes a deployment with its instances and files. 409 while one of its instances is mounted, unless forced; then its addresses are 404.',
    args: {
      deploymentId: t.arg.string(deploymentId),
      force: t.arg.boolean({ description: 'Removes it though it is live (default false).' }),
    },
    resolve: (_root, args, context) => deletePluginDeployment(context, args.deploymentId, args.force ?? false),
  }),
  syncPluginConfig: t.withAuth({ key: true }).field({
    type: SyncedPluginRef,
    description:
      'Changes presets, schema and uiSchema of a deployment without deploying anew: files and instances stay. 400 with an issue for each violation, such as `presets.default.color`, and nothing is changed; naming nothing changes nothing.',
    args: { input: t.arg({ type: SyncPluginConfigInput, required: true, description: 'What to change.' }) },
    resolve: (_root, { input }, context) => syncPluginConfig(context, input),
  }),
}));
