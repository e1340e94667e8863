import { visible } from '../../../auth/visible.ts';
import { builder } from '../../../graph/builder.ts';
import { DeleteResult } from '../../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType } from '../../../lists/inputs.ts';
import { deletePluginDeployment, deployPlugin } from './deploy-plugin.ts';
import {
  DeployPluginInput,
  listPluginDeployments,
  PluginDeploymentFilters,
  PluginDeploymentSort,
  SyncPluginConfigInput,
} from './inputs.ts';
import { DeployedPlugin, PluginDeployment, SyncedPlugin } from './types.ts';
import './manifest.ts';
import { syncPluginConfig } from './sync-plugin-config.ts';

const PluginDeploymentPage = pageType('PluginDeploymentPage', PluginDeployment, 'plugin deployments');

builder.queryFields((t) => ({
  pluginDeployment: t.withAuth({ suspendedKey: true }).field({
    type: PluginDeployment,
    description: 'Returns a plugin deployment. 404 if the deployment is not visible to the API key.',
    args: {
      deploymentId: t.arg.id({ required: true, description: 'The deployment to return, prefix `dep_`.' }),
    },
    resolve: (_root, args, context) => visible(context, 'pluginDeployment', args.deploymentId),
  }),
  pluginDeployments: t.withAuth({ suspendedKey: true }).field({
    type: PluginDeploymentPage,
    description:
      'Returns a page of the plugin deployments visible to the API key: those of the account of a sub-key, or of all ' +
      'accounts of the partner in the mode of a partner key. The newest come first by default.',
    args: {
      ...pageArguments,
      sortBy: t.arg({
        type: PluginDeploymentSort,
        description: 'The sort order. Defaults to `createdAt`, descending.',
      }),
      filters: t.arg({
        type: PluginDeploymentFilters,
        description: 'The filters to apply. All plugin deployments if left out.',
      }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listPluginDeployments(context, args),
  }),
}));

builder.mutationFields((t) => ({
  deployPlugin: t.withAuth({ key: true }).field({
    type: DeployedPlugin,
    description:
      'Deploys a version of a plugin, completely or not at all. 400 with an issue for each invalid value, such as ' +
      '`presets.default.color`. 409 if the version is already deployed and `overwrite` is not set, or if the account ' +
      'has 500 deployments.',
    args: { input: t.arg({ type: DeployPluginInput, required: true, description: 'The version to deploy.' }) },
    resolve: (_root, { input }, context) => deployPlugin(context, input),
  }),
  deletePluginDeployment: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description:
      'Deletes a plugin deployment with its files, its instances and their history. The addresses of its instances ' +
      'are then 404. 409 if an instance is mounted and `force` is not set. 404 if the deployment is not ' +
      'visible to the API key.',
    args: {
      deploymentId: t.arg.id({ required: true, description: 'The deployment to delete, prefix `dep_`.' }),
      force: t.arg.boolean({
        defaultValue: false,
        description: 'Whether to delete the deployment even if an instance is mounted.',
      }),
    },
    resolve: (_root, args, context) => deletePluginDeployment(context, args.deploymentId, args.force ?? false),
  }),
  syncPluginConfig: t.withAuth({ key: true }).field({
    type: SyncedPlugin,
    description:
      'Changes the presets, the schema and the UI schema of a plugin deployment, completely or not at all. Its files ' +
      'and instances do not change. 400 with an issue for each violation of the schema, such as ' +
      '`presets.default.color`. 404 if the deployment is not visible to the API key.',
    args: { input: t.arg({ type: SyncPluginConfigInput, required: true, description: 'The fields to change.' }) },
    resolve: (_root, { input }, context) => syncPluginConfig(context, input),
  }),
}));
