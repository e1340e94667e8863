import type { Tenant } from '../../../auth/tenancy.ts';
import { requireRow } from '../../../auth/visible.ts';
import type { PluginInstance, PluginMount, Prisma } from '../../../generated/prisma/client.ts';
import type { InputIssue } from '../../../lib/errors.ts';
import { type EventDraft, rowEvent } from '../../../unit-of-work/records.ts';
import { type DeploymentRow, deploymentObject } from '../deployments/rows.ts';
import { mountUrl } from '../page-url.ts';

/** A mount of an instance. The list of instances reads it as JSON, in which `createdAt` is a string. */
export type MountRow = Pick<PluginMount, 'storeId' | 'alias' | 'basePath'> & { createdAt: Date | string };

export type InstanceRow = PluginInstance & { version: string; mounts: MountRow[] };

/** The columns of an instance that are stored in other tables. */
export const instanceParts = {
  deployment: { select: { version: true } },
  mounts: {
    select: { storeId: true, alias: true, basePath: true, createdAt: true },
    orderBy: [{ alias: 'asc' }, { basePath: 'asc' }],
  },
} as const satisfies Prisma.PluginInstanceInclude;

export function instanceRow({
  deployment,
  ...instance
}: PluginInstance & { deployment: { version: string }; mounts: MountRow[] }): InstanceRow {
  return { ...instance, version: deployment.version };
}

/** Returns an instance that is visible to the caller and, if a store is given, belongs to it. */
export async function instanceOf(
  database: Pick<Prisma.TransactionClient, 'pluginInstance'>,
  tenant: Tenant,
  { deploymentInstanceId, storeId }: { deploymentInstanceId: string; storeId?: string },
): Promise<PluginInstance> {
  const where = { ...tenant, id: deploymentInstanceId, ...(storeId !== undefined && { storeId }) };
  return requireRow(database, 'pluginInstance', where);
}

/** An instance as the API returns it (rest/plugins/instances.graphql). */
interface InstanceObject {
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

/** A mount as the API returns it. */
export interface MountObject {
  alias: string;
  basePath: string;
  url: string;
  createdAt: Date;
}

/** `configIssues` are the violations of the schema of the deployment by the live configuration. */
function instanceObject(instance: InstanceRow, configIssues: InputIssue[], publicUrl: string): InstanceObject {
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

/** The event of a deployment, with the deployment as the list of deployments returns it. */
export function deploymentEvent(
  type: 'plugin/deployed' | 'plugin/configUpdated',
  deployment: DeploymentRow,
  publicUrl: string,
): EventDraft {
  return rowEvent(type, deployment, deploymentObject(deployment, publicUrl));
}

/** The event of an instance whose live configuration satisfies its schema, with the instance as the API returns it. */
export function instanceEvent(instance: InstanceRow, publicUrl: string): EventDraft {
  return rowEvent('plugin/configUpdated', instance, instanceObject(instance, [], publicUrl));
}
