import { type DeploymentRow, presetNames } from './deployment-rows.ts';
import { mountUrl } from './page-url.ts';

/**
 * A deployment as the list of deployments answers it (rest/plugins/deployments/list-plugin-deployments.graphql).
 * Its manifest, presets, schemas and list of files may take half a megabyte. Events leave them out.
 */
export interface DeploymentObject {
  id: string;
  deploymentId: string;
  platformAccountId: string;
  storeId: string;
  pluginId: string;
  version: string;
  name: string;
  url: string;
  presetNames: string[];
  assetCount: number;
  assetBytes: number;
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export function deploymentObject(deployment: DeploymentRow, publicUrl: string): DeploymentObject {
  return {
    id: deployment.id,
    deploymentId: deployment.id,
    platformAccountId: deployment.platformAccountId,
    storeId: deployment.storeId,
    pluginId: deployment.pluginId,
    version: deployment.version,
    name: deployment.name,
    url: deploymentUrl(deployment, publicUrl),
    presetNames: presetNames(deployment),
    assetCount: deployment.assetCount,
    assetBytes: deployment.assetBytes,
    livemode: deployment.mode === 'live',
    createdAt: deployment.createdAt,
    updatedAt: deployment.updatedAt,
  };
}

/** The address of the preview of a deployment. */
export function deploymentUrl({ id, storeId }: Pick<DeploymentRow, 'id' | 'storeId'>, publicUrl: string): string {
  return mountUrl(publicUrl, { storeId, alias: id, basePath: '/' });
}
