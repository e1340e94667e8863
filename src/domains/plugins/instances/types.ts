import type { PluginConfiguration, PluginInstance as PluginInstanceRecord } from '../../../generated/prisma/client.ts';
import { builder } from '../../../graph/builder.ts';
import { storedColumn } from '../../../graph/shared-types.ts';
import type { InputIssue } from '../../../lib/errors.ts';
import { mountUrl } from '../page-url.ts';
import { configIssuesOf } from './configure.ts';
import type { MountedInstance } from './mounts.ts';
import { type InstanceRow, type MountObject, mountObject } from './rows.ts';

const PluginMount = builder.objectRef<MountObject>('PluginMount').implement({
  description: 'A path at which a plugin instance is served.',
  fields: (t) => ({
    alias: t.exposeString('alias', { description: 'The alias of the mount, the part of the path after the store.' }),
    basePath: t.exposeString('basePath', { description: 'The path below the alias at which the instance begins.' }),
    url: t.exposeString('url', { description: 'The address of the mount.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time at which the instance was mounted there.',
    }),
  }),
});

const PluginConfigIssue = builder.objectRef<InputIssue>('PluginConfigIssue').implement({
  description: 'A violation of a schema by a configuration.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The path of the invalid value, such as `config.color`.' }),
    message: t.exposeString('message', { description: 'What is wrong with the value, such as `is required`.' }),
  }),
});

export const PluginInstance = builder.objectRef<InstanceRow>('PluginInstance').implement({
  description: 'The configured use of a plugin deployment in a store. It is served at its mounts.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the instance, prefix `pin_`.' }),
    deploymentId: t.exposeID('deploymentId', {
      description: 'The deployment that the instance serves, prefix `dep_`.',
    }),
    pluginId: t.exposeID('pluginId', { description: 'Your identifier of the plugin.' }),
    version: t.exposeString('version', { description: 'The semantic version of the deployment.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'The processing account that the instance belongs to, prefix `tpa_`.',
    }),
    storeId: t.exposeID('storeId', { description: 'The store that the instance belongs to, prefix `store_`.' }),
    name: t.expose('name', { type: 'Name', description: 'The display name of the instance.' }),
    config: t.field({
      type: 'JSONObject',
      description: 'The live configuration. Pages show it to every visitor, so it must contain no secret.',
      resolve: ({ config }) => config,
    }),
    configVersion: t.exposeInt('configVersion', {
      description: 'The number of the live configuration, counted from 1.',
    }),
    configIssues: t.field({
      type: [PluginConfigIssue],
      description:
        'Where the live configuration violates the current schema of the deployment. It stays live. Empty if it ' +
        'satisfies the schema.',
      complexity: 5,
      resolve: (instance, _args, context) => configIssuesOf(context, instance),
    }),
    mounts: t.field({
      type: [PluginMount],
      description: 'The mounts of the instance, in the order of alias and base path. Empty if it is not mounted.',
      resolve: ({ mounts }, _args, { services }) =>
        mounts.map((mount) => mountObject(mount, services.config.publicUrl)),
    }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: ({ mode }) => mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the instance was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the live configuration last changed.',
    }),
  }),
});

const PluginConfigurationReason = builder.enumType('PluginConfigurationReason', {
  description: 'Why a configuration became the live one.',
  values: {
    created: { description: 'The instance was created with it.' },
    updated: { description: 'It was set.' },
    rolledBack: { description: 'It copies an earlier configuration that was rolled back to.' },
  } as const,
});

const PluginConfigurationActor = builder.enumType('PluginConfigurationActor', {
  description: 'The kind of an actor that sets a configuration.',
  values: {
    partnerKey: { description: 'A partner key.' },
    subKey: { description: 'A sub-key.' },
    system: { description: 'The platform, for the demo.' },
  } as const,
});

export const PluginConfigurationType = builder.objectRef<PluginConfiguration>('PluginConfiguration').implement({
  description: 'A configuration that is or was the live one of a plugin instance. The newest 200 of it are kept.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the configuration, prefix `pcfg_`.' }),
    version: t.exposeInt('version', {
      description: 'The number of the configuration among those of the instance, counted from 1.',
    }),
    config: t.field({
      type: 'JSONObject',
      description: 'The whole configuration.',
      resolve: ({ config }) => config,
    }),
    // the columns contain these only
    reason: t.field({
      type: PluginConfigurationReason,
      description: 'Why the configuration became the live one.',
      ...storedColumn('reason'),
    }),
    rolledBackTo: t.exposeInt('rolledBackTo', {
      nullable: true,
      description: 'The number of the earlier configuration that this one copies. Null unless it was rolled back to.',
    }),
    actorKind: t.field({
      type: PluginConfigurationActor,
      description: 'The kind of the actor that set the configuration.',
      ...storedColumn('actorKind'),
    }),
    actorId: t.exposeID('actorId', {
      description: 'The identifier of the actor that set the configuration, prefix `ak_` for an API key.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'Time at which the configuration became the live one.',
    }),
  }),
});

export const UpdatedPluginConfig = builder.objectRef<PluginInstanceRecord>('UpdatedPluginConfig').implement({
  description: 'The live configuration of a plugin instance after a change.',
  fields: (t) => ({
    ok: t.boolean({ description: 'Always true.', resolve: () => true }),
    deploymentInstanceId: t.exposeID('id', { description: 'The plugin instance, prefix `pin_`.' }),
    config: t.field({
      type: 'JSONObject',
      description: 'The whole configuration.',
      resolve: ({ config }) => config,
    }),
    configVersion: t.exposeInt('configVersion', {
      description: 'The number of the live configuration, counted from 1.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time at which the live configuration last changed.',
    }),
  }),
});

export const MountedPlugin = builder.objectRef<MountedInstance>('MountedPlugin').implement({
  description: 'The mount that was created or removed.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'Always true.' }),
    deploymentInstanceId: t.exposeID('deploymentInstanceId', {
      description: 'The plugin instance, prefix `pin_`.',
    }),
    storeId: t.exposeID('storeId', { description: 'The store of the instance, prefix `store_`.' }),
    alias: t.exposeString('alias', { description: 'The alias of the mount, the part of the path after the store.' }),
    basePath: t.exposeString('basePath', { description: 'The path below the alias at which the instance begins.' }),
    url: t.string({
      description: 'The address of the mount.',
      resolve: (mount, _args, { services }) => mountUrl(services.config.publicUrl, mount),
    }),
  }),
});
