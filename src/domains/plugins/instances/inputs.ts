import type { TenantContext } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import type { PluginConfiguration } from '../../../generated/prisma/client.ts';
import { builder } from '../../../graph/builder.ts';
import { date, is, oneOf, text } from '../../../lists/filters.ts';
import { DateFilter, sortInput, TextFilter } from '../../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../../lists/read-list.ts';
import { type InstanceRow, instanceOf } from './rows.ts';

export const PluginInstanceSort = sortInput('PluginInstanceSort', ['createdAt', 'name']);

export const PluginInstanceFilters = builder.inputType('PluginInstanceFilters', {
  description: 'Filters for a list of plugin instances. An instance is returned only if it matches every filter given.',
  fields: (t) => ({
    deploymentId: t.id({ description: 'Returns instances of this deployment, prefix `dep_`.' }),
    pluginId: t.idList({ description: 'Returns instances of any of these plugins.' }),
    storeId: t.idList({ description: 'Returns instances in any of these stores, prefix `store_`.' }),
    name: t.field({ type: TextFilter, description: 'Compares the display name of the instance.' }),
    createdAt: t.field({ type: DateFilter, description: 'Compares the time at which the instance was created.' }),
  }),
});

export const CreatePluginInstanceInput = builder.inputType('CreatePluginInstanceInput', {
  description:
    'The plugin instance to create. Without `presetName` and `config` its configuration is the preset `default`, or ' +
    'else the first preset, or else empty.',
  fields: (t) => ({
    deploymentId: t.id({
      required: true,
      description: 'The deployment to create an instance of, prefix `dep_`.',
    }),
    storeId: t.id({
      description:
        'The store of the instance, prefix `store_`, in the account of the deployment. Defaults to the store that ' +
        'the version was deployed through.',
    }),
    name: t.field({
      type: 'Name',
      description: 'The display name of the instance. Defaults to the name of the plugin.',
    }),
    presetName: t.string({
      description: 'The name of the preset to use as the configuration. Must not be given together with `config`.',
    }),
    config: t.field({
      type: 'JSONObject',
      description: 'The configuration of the instance, at most 64 KiB. It must satisfy the schema of the deployment.',
    }),
  }),
});

const instanceFields = {
  deploymentInstanceId: { required: true, description: 'The plugin instance, prefix `pin_`.' },
  storeId: { required: true, description: 'The store of the instance, prefix `store_`.' },
} as const;

export const UpdatePluginInstanceConfigInput = builder.inputType('UpdatePluginInstanceConfigInput', {
  description: 'The configuration to make the live one.',
  fields: (t) => ({
    deploymentInstanceId: t.id(instanceFields.deploymentInstanceId),
    storeId: t.id(instanceFields.storeId),
    config: t.field({
      type: 'JSONObject',
      required: true,
      description:
        'The whole configuration, at most 64 KiB. It must satisfy the schema of the deployment. Pages show it to ' +
        'every visitor, so it must contain no secret.',
    }),
  }),
});

export const RollBackPluginConfigInput = builder.inputType('RollBackPluginConfigInput', {
  description: 'The earlier configuration to make the live one.',
  fields: (t) => ({
    deploymentInstanceId: t.id(instanceFields.deploymentInstanceId),
    storeId: t.id(instanceFields.storeId),
    version: t.field({
      type: 'ConfigVersion',
      required: true,
      description: 'The number of the configuration. 404 if it is not among the newest 200 of the instance.',
    }),
  }),
});

export const MountPluginInstanceInput = builder.inputType('MountPluginInstanceInput', {
  description: 'The path to serve a plugin instance at: `/p/<storeId>/<alias><basePath>`.',
  fields: (t) => ({
    deploymentInstanceId: t.id(instanceFields.deploymentInstanceId),
    storeId: t.id(instanceFields.storeId),
    alias: t.field({ type: 'MountAlias', required: true, description: 'The alias of the mount.' }),
    basePath: t.field({
      type: 'BasePath',
      required: true,
      defaultValue: '/',
      description:
        'The path below the alias at which the instance begins. If several mounts match an address, the one with the ' +
        'longest base path serves it.',
    }),
    force: t.boolean({
      defaultValue: false,
      description:
        'Whether to replace a mount of another instance. If false, it is 409 with the reason `base_path_conflict`.',
    }),
  }),
});

export const UnmountPluginInstanceInput = builder.inputType('UnmountPluginInstanceInput', {
  description: 'The mount of a plugin instance to remove.',
  fields: (t) => ({
    deploymentInstanceId: t.id(instanceFields.deploymentInstanceId),
    storeId: t.id(instanceFields.storeId),
    alias: t.field({ type: 'MountAlias', required: true, description: 'The alias of the mount.' }),
    basePath: t.field({
      type: 'BasePath',
      required: true,
      defaultValue: '/',
      description: 'The base path of the mount.',
    }),
  }),
});

const mountsAsJson = sql`
  SELECT coalesce(
    jsonb_agg(
      jsonb_build_object(
        'storeId', m."storeId",
        'alias', m.alias,
        'basePath', m."basePath",
        'createdAt', m."createdAt"
      )
      ORDER BY m.alias, m."basePath"
    ),
    '[]'
  ) AS mounts
  FROM plugin_mounts m
  WHERE m."deploymentInstanceId" = t.id`;

const instanceList: ListDefinition<typeof PluginInstanceFilters.$inferInput> = {
  table: 'plugin_instances',
  extra: {
    columns: sql`d.version, m.mounts`,
    joins: sql`
      LEFT JOIN plugin_deployments d ON d.id = t."deploymentId"
      LEFT JOIN LATERAL (${mountsAsJson}) m ON true`,
  },
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    deploymentId: is('deploymentId'),
    pluginId: oneOf('pluginId'),
    storeId: oneOf('storeId'),
    name: text('name'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listPluginInstances(
  context: TenantContext,
  args: ListArguments<typeof PluginInstanceFilters.$inferInput>,
): Promise<Page<InstanceRow>> {
  return readList(context.services.pool, context.tenant, instanceList, args);
}

const configurationList = (deploymentInstanceId: string): ListDefinition<Record<string, never>> => ({
  table: 'plugin_configurations',
  // The version reflects the order of two changes within one millisecond.
  sorts: { createdAt: 'version' },
  filters: {},
  always: sql`t."deploymentInstanceId" = ${deploymentInstanceId}`,
});

/** Returns the configurations of an instance, the live one included. */
export async function listPluginConfigurations(
  { services, tenant }: Pick<TenantContext, 'services' | 'tenant'>,
  deploymentInstanceId: string,
  args: ListArguments<Record<string, never>>,
): Promise<Page<PluginConfiguration>> {
  await instanceOf(services.prisma, tenant, { deploymentInstanceId });
  return readList(services.pool, tenant, configurationList(deploymentInstanceId), args);
}
