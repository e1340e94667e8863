import type { PluginConfiguration, PluginInstance as PluginInstanceRecord } from '../generated/prisma/client.ts';
import { builder } from '../graph/builder.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { DateFilter, TextFilter } from '../graph/list-inputs.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import type { InputIssue } from '../kit/errors.ts';
import { instanceIssues } from './instances.ts';
import { type MountedInstance, mountUrl } from './mounts.ts';
import {
  createPluginInstance,
  deletePluginInstance,
  listPluginConfigurations,
  listPluginInstances,
  mountPluginInstance,
  readPluginInstance,
  rollBackPluginConfig,
  unmountPluginInstance,
  updatePluginInstanceConfig,
} from './operations.ts';
import type { InstanceRow, MountRow } from './plugin-records.ts';

const PluginMount = builder.objectRef<MountRow>('PluginMount').implement({
  description: 'An address an instance is served at.',
  fields: (t) => ({
    alias: t.exposeString('alias', { description: 'The name in the address.' }),
    basePath: t.exposeString('basePath', { description: 'The path below the name at which the instance begins.' }),
    url: t.string({
      description: 'The address.',
      resolve: (mount, _args, { env }) => mountUrl(env.config.publicUrl, mount),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Since when.',
      resolve: ({ createdAt }) => new Date(createdAt),
    }),
  }),
});

const PluginConfigIssue = builder.objectRef<InputIssue>('PluginConfigIssue').implement({
  description: 'Where a configuration violates a schema.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The place, such as `config.color`.' }),
    message: t.exposeString('message', { description: 'What is wrong there.' }),
  }),
});

export const PluginInstance = builder.objectRef<InstanceRow>('PluginInstance').implement({
  description: 'A deployment at work in a store, with its live configuration.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `pin_`.' }),
    deploymentId: t.exposeString('deploymentId', { description: 'The deployment, prefix `dep_`.' }),
    pluginId: t.exposeString('pluginId', { description: 'The plugin.' }),
    version: t.exposeString('version', { description: "The deployment's version." }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    name: t.expose('name', { type: 'Name', description: 'What people call it.' }),
    config: t.field({
      type: 'JSONObject',
      description: 'The live configuration. Pages show it to everybody: nothing secret belongs here.',
      resolve: ({ config }) => config,
    }),
    configVersion: t.exposeInt('configVersion', { description: 'The number of the live configuration, from 1.' }),
    configIssues: t.field({
      type: [PluginConfigIssue],
      description:
        "Where the live configuration violates the deployment's schema of today; it stays live all the same.",
      complexity: 5,
      resolve: (instance, _args, context) => instanceIssues(context, instance),
    }),
    mounts: t.field({ type: [PluginMount], description: 'Where it is served.', resolve: ({ mounts }) => mounts }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: ({ mode }) => mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When its configuration last changed.' }),
  }),
});

const PluginConfigurationRef = builder.objectRef<PluginConfiguration>('PluginConfiguration').implement({
  description: 'A configuration that an instance has or had. The newest 200 are kept.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `pcfg_`.' }),
    version: t.exposeInt('version', { description: 'Counts the configurations of the instance, from 1.' }),
    config: t.field({ type: 'JSONObject', description: 'The configuration.', resolve: ({ config }) => config }),
    reason: t.exposeString('reason', { description: 'How it came: `created`, `updated` or `rolledBack`.' }),
    rolledBackTo: t.exposeInt('rolledBackTo', {
      nullable: true,
      description: 'The version it is a copy of, when it was rolled back to.',
    }),
    actorKind: t.exposeString('actorKind', {
      description: 'Who set it: `partnerKey` or `subKey`; `system` for the demo.',
    }),
    actorId: t.exposeString('actorId', { description: 'The key that set it, prefix `ak_`.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it became the live one.' }),
  }),
});

const UpdatedPluginConfig = builder.objectRef<PluginInstanceRecord>('UpdatedPluginConfig').implement({
  description: 'The configuration that is live from now on.',
  fields: (t) => ({
    ok: t.boolean({ description: 'Always true.', resolve: () => true }),
    deploymentInstanceId: t.exposeString('id', { description: 'The instance, prefix `pin_`.' }),
    config: t.field({ type: 'JSONObject', description: 'The whole configuration.', resolve: ({ config }) => config }),
    configVersion: t.exposeInt('configVersion', { description: 'Its number, from 1.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the configuration last changed.' }),
  }),
});

const MountedPlugin = builder.objectRef<MountedInstance>('MountedPlugin').implement({
  description: 'An address of an instance.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Always true.' }),
    deploymentInstanceId: t.exposeString('deploymentInstanceId', { description: 'The instance, prefix `pin_`.' }),
    storeId: t.exposeString('storeId', { description: 'The store, prefix `store_`.' }),
    alias: t.exposeString('alias', { description: 'The name in the address.' }),
    basePath: t.exposeString('basePath', { description: 'The path below it at which the instance begins.' }),
    url: t.string({
      description: 'The address.',
      resolve: (mount, _args, { env }) => mountUrl(env.config.publicUrl, mount),
    }),
  }),
});

const PluginInstancePage = pageType('PluginInstancePage', PluginInstance, 'plugin instances');
const PluginConfigurationPage = pageType('PluginConfigurationPage', PluginConfigurationRef, 'configurations');
const PluginInstanceSort = sortInput('PluginInstanceSort', ['createdAt', 'name']);

export const PluginInstanceFilters = builder.inputType('PluginInstanceFilters', {
  description: 'Which instances. All that are given must hold.',
  fields: (t) => ({
    deploymentId: t.string({ description: 'Of this deployment.' }),
    pluginId: t.stringList({ description: 'Of any of these plugins.' }),
    storeId: t.stringList({ description: 'Any of these stores.' }),
    name: t.field({ type: TextFilter, description: 'Their name.' }),
    createdAt: t.field({ type: DateFilter, description: 'When they were created.' }),
  }),
});

export const CreatePluginInstanceInput = builder.inputType('CreatePluginInstanceInput', {
  description: 'An instance of a deployment.',
  fields: (t) => ({
    deploymentId: t.string({ required: true, description: 'The deployment, prefix `dep_`.' }),
    storeId: t.string({
      description:
        "The store, prefix `store_`, of the deployment's account. Left out: the store it was deployed through.",
    }),
    name: t.field({ type: 'Name', description: "What people call it; the deployment's name when left out." }),
    presetName: t.string({
      description:
        'The preset it begins with. Left out, and no `config`: the preset `default`, or the first one, or nothing.',
    }),
    config: t.field({
      type: 'JSONObject',
      description:
        'The configuration it begins with, at most 64 KiB, in place of a preset. It must satisfy the schema.',
    }),
  }),
});

const instanceFields = {
  deploymentInstanceId: { required: true, description: 'The instance, prefix `pin_`.' },
  storeId: { required: true, description: 'Its store, prefix `store_`.' },
} as const;

export const UpdatePluginInstanceConfigInput = builder.inputType('UpdatePluginInstanceConfigInput', {
  description: 'A configuration to make the live one.',
  fields: (t) => ({
    deploymentInstanceId: t.string(instanceFields.deploymentInstanceId),
    storeId: t.string(instanceFields.storeId),
    config: t.field({
      type: 'JSONObject',
      required: true,
      description:
        'The whole configuration, at most 64 KiB. It must satisfy the schema. Pages show it to everybody: nothing secret belongs here.',
    }),
  }),
});

export const RollBackPluginConfigInput = builder.inputType('RollBackPluginConfigInput', {
  description: 'An earlier configuration to make the live one again.',
  fields: (t) => ({
    deploymentInstanceId: t.string(instanceFields.deploymentInstanceId),
    storeId: t.string(instanceFields.storeId),
    version: t.field({ type: 'ConfigVersion', required: true, description: 'The number of the configuration.' }),
  }),
});

export const MountPluginInstanceInput = builder.inputType('MountPluginInstanceInput', {
  description: 'An address to serve an instance at: `/p/<storeId>/<alias><basePath>`.',
  fields: (t) => ({
    deploymentInstanceId: t.string(instanceFields.deploymentInstanceId),
    storeId: t.string(instanceFields.storeId),
    alias: t.field({ type: 'MountAlias', required: true, description: 'A name in the address.' }),
    basePath: t.field({
      type: 'BasePath',
      required: true,
      defaultValue: '/',
      description: 'The path below the name at which it begins. Of several that fit an address, the longest answers.',
    }),
    force: t.boolean({
      description: 'Takes the address from another instance (default false: 409, reason `base_path_conflict`).',
    }),
  }),
});

export const UnmountPluginInstanceInput = builder.inputType('UnmountPluginInstanceInput', {
  description: 'An address to take an instance from.',
  fields: (t) => ({
    deploymentInstanceId: t.string(instanceFields.deploymentInstanceId),
    storeId: t.string(instanceFields.storeId),
    alias: t.field({ type: 'MountAlias', required: true, description: 'The name in the address.' }),
    basePath: t.field({ type: 'BasePath', required: true, defaultValue: '/', description: 'The path below it.' }),
  }),
});

const deploymentInstanceId = instanceFields.deploymentInstanceId;

builder.queryFields((t) => ({
  pluginInstance: t.withAuth({ key: true }).field({
    type: PluginInstance,
    description: 'One plugin instance. 404 when it is not within the reach of the key.',
    args: { deploymentInstanceId: t.arg.string(deploymentInstanceId) },
    resolve: (_root, args, context) => readPluginInstance(context, args.deploymentInstanceId),
  }),
  pluginInstances: t.withAuth({ key: true }).field({
    type: PluginInstancePage,
    description:
      "The plugin instances of the key's account, or of all the partner's accounts of its mode, the newest first unless sorted otherwise.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: PluginInstanceSort, description: 'The order.' }),
      filters: t.arg({ type: PluginInstanceFilters, description: 'Which instances.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPluginInstances(context, args),
  }),
  pluginConfigurations: t.withAuth({ key: true }).field({
    type: PluginConfigurationPage,
    description:
      'The configurations an instance has had, the newest first: what, who and when. The newest 200 are kept.',
    args: { deploymentInstanceId: t.arg.string(deploymentInstanceId), ...pageArguments },
    complexity: pageComplexity,
    resolve: (_root, { deploymentInstanceId: id, ...args }, context) => listPluginConfigurations(context, id, args),
  }),
}));

builder.mutationFields((t) => ({
  createPluginInstance: t.withAuth({ key: true }).field({
    type: PluginInstance,
    description:
      'Puts a deployment to work in a store, from a preset or a configuration of its own. It is served once it is mounted.',
    args: { input: t.arg({ type: CreatePluginInstanceInput, required: true, description: 'The instance.' }) },
    resolve: (_root, { input }, context) => createPluginInstance(context, input),
  }),
  deletePluginInstance: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Removes an instance with its mounts and its history. Its addresses are 404 from then on.',
    args: { deploymentInstanceId: t.arg.string(deploymentInstanceId) },
    resolve: (_root, args, context) => deletePluginInstance(context, args.deploymentInstanceId),
  }),
  updatePluginInstanceConfig: t.withAuth({ key: true }).field({
    type: UpdatedPluginConfig,
    description:
      'Replaces the whole live configuration of an instance: the next request for a page shows it, whichever process answers. 400 with an issue for each violation of the schema. The same configuration again changes nothing.',
    args: {
      input: t.arg({ type: UpdatePluginInstanceConfigInput, required: true, description: 'The configuration.' }),
    },
    resolve: (_root, { input }, context) => updatePluginInstanceConfig(context, input),
  }),
  rollBackPluginConfig: t.withAuth({ key: true }).field({
    type: UpdatedPluginConfig,
    description:
      'Makes an earlier configuration of an instance the live one again, as a new version. 400 when the schema does not take it any more.',
    args: { input: t.arg({ type: RollBackPluginConfigInput, required: true, description: 'Which configuration.' }) },
    resolve: (_root, { input }, context) => rollBackPluginConfig(context, input),
  }),
  mountPluginInstance: t.withAuth({ key: true }).field({
    type: MountedPlugin,
    description:
      'Serves an instance at an address of its store. An address of another instance is 409 (`base_path_conflict`) unless forced. At most 20 addresses an instance, 200 a store.',
    args: { input: t.arg({ type: MountPluginInstanceInput, required: true, description: 'The address.' }) },
    resolve: (_root, { input }, context) => mountPluginInstance(context, input),
  }),
  unmountPluginInstance: t.withAuth({ key: true }).field({
    type: MountedPlugin,
    description: 'Takes an instance from an address, which is 404 from then on. 404 when it is not mounted there.',
    args: { input: t.arg({ type: UnmountPluginInstanceInput, required: true, description: 'The address.' }) },
    resolve: (_root, { input }, context) => unmountPluginInstance(context, input),
  }),
}));
