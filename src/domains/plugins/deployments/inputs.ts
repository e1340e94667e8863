import type { TenantContext } from '../../../call/context.ts';
import { builder } from '../../../graph/builder.ts';
import { notNull } from '../../../graph/input/rules.ts';
import { date, oneOf, text } from '../../../lists/filters.ts';
import { DateFilter, sortInput, TextFilter } from '../../../lists/inputs.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../../../lists/read-list.ts';
import { assetsMax, contentTypeList } from './assets.ts';
import type { DeploymentRow } from './rows.ts';

export const PluginDeploymentSort = sortInput('PluginDeploymentSort', ['createdAt', 'name']);

export const PluginDeploymentFilters = builder.inputType('PluginDeploymentFilters', {
  description:
    'Filters for a list of plugin deployments. A deployment is returned only if it matches every filter given.',
  fields: (t) => ({
    pluginId: t.idList({ description: 'Returns deployments of any of these plugins.' }),
    version: t.stringList({ description: 'Returns deployments of any of these versions.' }),
    storeId: t.idList({
      description: 'Returns deployments that were deployed through any of these stores, prefix `store_`.',
    }),
    name: t.field({ type: TextFilter, description: 'Compares the display name of the plugin.' }),
    createdAt: t.field({
      type: DateFilter,
      description: 'Compares the time at which the version was first deployed.',
    }),
  }),
});

const InlineAsset = builder.inputType('InlineAsset', {
  extensions: { listMax: assetsMax },
  description: 'A file of a plugin.',
  fields: (t) => ({
    path: t.string({
      required: true,
      description:
        'The relative path of the file, such as `index.html` or `img/logo.svg`: at most 200 characters of `A-Z`, ' +
        '`a-z`, `0-9`, `.`, `_`, `~`, `@`, `+` and `-` between slashes, without `.` or `..` as a part. A leading ' +
        'slash is removed. Each path must occur once.',
    }),
    content: t.string({
      required: true,
      description: 'The bytes of the file in base64 of the standard alphabet, padded.',
    }),
    contentType: t.string({
      description:
        'The content type that the file is served with. Defaults to that of the file extension. One of: ' +
        `${contentTypeList.map((type) => `\`${type}\``).join(', ')}.`,
    }),
  }),
});

export const DeployPluginInput = builder.inputType('DeployPluginInput', {
  description: 'The version of a plugin to deploy. The request has at most 5 MiB over REST and 1 MiB over GraphQL.',
  fields: (t) => ({
    storeId: t.id({
      description:
        'The store to deploy through, prefix `store_`. Required with a partner key, and with a sub-key whose account ' +
        'has several stores. Otherwise defaults to the only store of the account.',
    }),
    manifest: t.field({ type: 'PluginManifest', required: true, description: 'The manifest of the plugin.' }),
    inlineAssets: t.field({
      type: [InlineAsset],
      description:
        'The files of the plugin, at most 300. A page is served from `<path>.html`, `<path>/index.html` or ' +
        '`index.html`. The files of an account have at most 256 MiB, where equal files count once; above that, 409.',
    }),
    presets: t.field({
      type: 'JSONObject',
      description:
        'Configurations by name, from which instances can be created: at most 50, of 64 KiB each and 256 KiB in ' +
        'total. Each must satisfy the schema. Defaults to none.',
    }),
    overwrite: t.boolean({
      defaultValue: false,
      description:
        'Whether to replace the version if it is already deployed. The deployment keeps its identifier, and its ' +
        'instances keep their configurations. If false, it is 409 for a version that is already deployed.',
    }),
    autoInstantiate: t.boolean({
      defaultValue: false,
      description:
        'Whether to create an instance in the store as well, unless the store has one of this deployment. Its ' +
        'configuration is the preset `default`, or else the first preset, or else empty; it must satisfy the schema.',
    }),
  }),
});

export const SyncPluginConfigInput = builder.inputType('SyncPluginConfigInput', {
  description: 'The presets and schemas of the deployment to change. A field that is left out keeps its value.',
  fields: (t) => ({
    deploymentId: t.id({ required: true, description: 'The deployment to change, prefix `dep_`.' }),
    presets: t.field({
      ...notNull,
      type: 'JSONObject',
      description:
        'Configurations by name, which replace all presets: at most 50, of 64 KiB each and 256 KiB in total. Each ' +
        'must satisfy the schema. Must not be null; `{}` for none.',
    }),
    schema: t.field({
      type: 'JSONObject',
      description:
        'The JSON Schema that every configuration must satisfy: 2020-12, or draft-07 if its `$schema` names it. At ' +
        'most 64 KiB, 2,000 values, 32 levels and 100 patterns in RE2 syntax of 500 characters each, without remote ' +
        'references. Null if any configuration is valid.',
    }),
    uiSchema: t.field({
      type: 'JSONObject',
      description: 'How a form shows the configuration, at most 64 KiB. Stored and not interpreted. Null for none.',
    }),
  }),
});

const deploymentList: ListDefinition<typeof PluginDeploymentFilters.$inferInput> = {
  table: 'plugin_deployments',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: {
    pluginId: oneOf('pluginId'),
    version: oneOf('version'),
    storeId: oneOf('storeId'),
    name: text('name'),
    createdAt: date('createdAt'),
  },
  counted: true,
};

export function listPluginDeployments(
  context: TenantContext,
  args: ListArguments<typeof PluginDeploymentFilters.$inferInput>,
): Promise<Page<DeploymentRow>> {
  return readList(context.services.pool, context.tenant, deploymentList, args);
}
