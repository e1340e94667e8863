import { builder } from '../../../graph/builder.ts';
import { DeleteResult } from '../../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType } from '../../../lists/inputs.ts';
import {
  createPluginInstance,
  deletePluginInstance,
  readPluginInstance,
  rollBackPluginConfig,
  updatePluginInstanceConfig,
} from './configure.ts';
import {
  CreatePluginInstanceInput,
  listPluginConfigurations,
  listPluginInstances,
  MountPluginInstanceInput,
  PluginInstanceFilters,
  PluginInstanceSort,
  RollBackPluginConfigInput,
  UnmountPluginInstanceInput,
  UpdatePluginInstanceConfigInput,
} from './inputs.ts';
import { mountPluginInstance, unmountPluginInstance } from './mounts.ts';
import { MountedPlugin, PluginConfigurationType, PluginInstance, UpdatedPluginConfig } from './types.ts';

const PluginInstancePage = pageType('PluginInstancePage', PluginInstance, 'plugin instances');
const PluginConfigurationPage = pageType('PluginConfigurationPage', PluginConfigurationType, 'configurations');

builder.queryFields((t) => ({
  pluginInstance: t.withAuth({ suspendedKey: true }).field({
    type: PluginInstance,
    description: 'Returns a plugin instance. 404 if the instance is not visible to the API key.',
    args: {
      deploymentInstanceId: t.arg.id({ required: true, description: 'The instance to return, prefix `pin_`.' }),
    },
    resolve: (_root, args, context) => readPluginInstance(context, args.deploymentInstanceId),
  }),
  pluginInstances: t.withAuth({ suspendedKey: true }).field({
    type: PluginInstancePage,
    description:
      'Returns a page of the plugin instances visible to the API key: those of the account of a sub-key, or of all ' +
      'accounts of the partner in the mode of a partner key. The newest come first by default.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: PluginInstanceSort, description: 'The sort order. Defaults to `createdAt`, descending.' }),
      filters: t.arg({
        type: PluginInstanceFilters,
        description: 'The filters to apply. All plugin instances if left out.',
      }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPluginInstances(context, args),
  }),
  pluginConfigurations: t.withAuth({ suspendedKey: true }).field({
    type: PluginConfigurationPage,
    description:
      'Returns a page of the configurations of a plugin instance, each with the actor that set it and the time, ' +
      'newest first. The newest 200 are kept. 404 if the instance is not visible to the API key.',
    args: {
      deploymentInstanceId: t.arg.id({ required: true, description: 'The plugin instance, prefix `pin_`.' }),
      ...pageArguments,
    },
    complexity: pageComplexity,
    resolve: (_root, { deploymentInstanceId, ...args }, context) =>
      listPluginConfigurations(context, deploymentInstanceId, args),
  }),
}));

builder.mutationFields((t) => ({
  createPluginInstance: t.withAuth({ key: true }).field({
    type: PluginInstance,
    description:
      'Creates an instance of a plugin deployment in a store, from a preset or a configuration. It is served once it ' +
      'is mounted. 400 with an issue for each violation of the schema. 404 if the deployment is not visible to the ' +
      'API key. 409 if the account has 1,000 instances.',
    args: { input: t.arg({ type: CreatePluginInstanceInput, required: true, description: 'The instance to create.' }) },
    resolve: (_root, { input }, context) => createPluginInstance(context, input),
  }),
  deletePluginInstance: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a plugin instance with its mounts and its history. Its addresses are then 404. 404 if the ' +
      'instance is not visible to the API key.',
    args: {
      deploymentInstanceId: t.arg.id({ required: true, description: 'The instance to delete, prefix `pin_`.' }),
    },
    resolve: (_root, args, context) => deletePluginInstance(context, args.deploymentInstanceId),
  }),
  updatePluginInstanceConfig: t.withAuth({ key: true }).field({
    type: UpdatedPluginConfig,
    description:
      'Replaces the whole live configuration of a plugin instance. The next request for a page shows it, in every ' +
      'process. An equal configuration changes nothing. 400 with an issue for each violation of the schema.',
    args: {
      input: t.arg({
        type: UpdatePluginInstanceConfigInput,
        required: true,
        description: 'The configuration to make the live one.',
      }),
    },
    resolve: (_root, { input }, context) => updatePluginInstanceConfig(context, input),
  }),
  rollBackPluginConfig: t.withAuth({ key: true }).field({
    type: UpdatedPluginConfig,
    description:
      'Makes an earlier configuration of a plugin instance the live one, as a new version. 400 with an issue for ' +
      'each violation of the current schema.',
    args: {
      input: t.arg({
        type: RollBackPluginConfigInput,
        required: true,
        description: 'The earlier configuration to make the live one.',
      }),
    },
    resolve: (_root, { input }, context) => rollBackPluginConfig(context, input),
  }),
  mountPluginInstance: t.withAuth({ key: true }).field({
    type: MountedPlugin,
    description:
      'Serves a plugin instance at a path of its store. A mount that exists already is returned unchanged. 409 with ' +
      'the reason `base_path_conflict` if another instance is mounted there and `force` is not set. 409 if the ' +
      'instance has 20 mounts or the store has 200.',
    args: { input: t.arg({ type: MountPluginInstanceInput, required: true, description: 'The mount to create.' }) },
    resolve: (_root, { input }, context) => mountPluginInstance(context, input),
  }),
  unmountPluginInstance: t.withAuth({ key: true }).field({
    type: MountedPlugin,
    description:
      'Removes a mount of a plugin instance. Its address is then 404. 404 if the instance is not mounted there.',
    args: { input: t.arg({ type: UnmountPluginInstanceInput, required: true, description: 'The mount to remove.' }) },
    resolve: (_root, { input }, context) => unmountPluginInstance(context, input),
  }),
}));
