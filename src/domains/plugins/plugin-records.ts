import type { Mode } from '../../kit/mode.ts';
import type { EventDraft } from '../../write/records.ts';
import { deploymentObject } from './deployment-object.ts';
import type { DeploymentRow } from './deployment-rows.ts';
import { instanceObject } from './instance-object.ts';
import type { InstanceRow } from './instance-rows.ts';

/** The event of a deployment, with the deployment as the list of deployments answers it. */
export function deploymentEvent(
  type: 'plugin/deployed' | 'plugin/configUpdated',
  deployment: DeploymentRow,
  publicUrl: string,
): EventDraft {
  return { type, ...ownerOf(deployment), object: deploymentObject(deployment, publicUrl) };
}

/** The event of an instance whose live configuration satisfies its schema, with the instance as the API answers it. */
export function instanceEvent(instance: InstanceRow, publicUrl: string): EventDraft {
  return { type: 'plugin/configUpdated', ...ownerOf(instance), object: instanceObject(instance, [], publicUrl) };
}

function ownerOf({ id, partnerId, platformAccountId, storeId, mode, sequence }: DeploymentRow | InstanceRow) {
  // a foreign key ties the mode to that of the account
  return { partnerId, platformAccountId, mode: mode as Mode, storeId, objectId: id, sequence };
}
