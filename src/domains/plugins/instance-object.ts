import type { InputIssue } from '../../kit/errors.ts';
import type { InstanceRow, MountRow } from './instance-rows.ts';
import { mountUrl } from './page-url.ts';

/** An instance as the API answers it (rest/plugins/instances/get-plugin-instance.graphql). */
export interface InstanceObject {
  id: string;
  deploymentInstanceId: string;
  deploymentId: string;
  pluginId: string;
  version: string;
  platformAccountId: string;
  storeId: string;
  name: string;
  config: unknown;
  configVersion: number;
  mounts: MountObject[];
  livemode: boolean;
  createdAt: Date;
  updatedAt: Date;
  configIssues: InputIssue[];
}

/** A mount as the API answers it. */
export interface MountObject {
  alias: string;
  basePath: string;
  url: string;
  createdAt: Date;
}

/** `configIssues` are the violations of the schema of the deployment by the live configuration. */
export function instanceObject(instance: InstanceRow, configIssues: InputIssue[], publicUrl: string): InstanceObject {
  return {
    id: instance.id,
    deploymentInstanceId: instance.id,
    deploymentId: instance.deploymentId,
    pluginId: instance.pluginId,
    version: instance.version,
    platformAccountId: instance.platformAccountId,
    storeId: instance.storeId,
    name: instance.name,
    config: instance.config,
    configVersion: instance.configVersion,
    mounts: instance.mounts.map((mount) => mountObject(mount, publicUrl)),
    livemode: instance.mode === 'live',
    createdAt: instance.createdAt,
    updatedAt: instance.updatedAt,
    configIssues,
  };
}

export function mountObject(mount: MountRow, publicUrl: string): MountObject {
  return {
    alias: mount.alias,
    basePath: mount.basePath,
    url: mountUrl(publicUrl, mount),
    createdAt: new Date(mount.createdAt),
  };
}
