import type { EventDraft } from '../../write/records.ts';
import { rowEvent } from '../../write/row-event.ts';
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
  return rowEvent(type, deployment, deploymentObject(deployment, publicUrl));
}

/** The event of an instance whose live configuration satisfies its schema, with the instance as the API answers it. */
export function instanceEvent(instance: InstanceRow, publicUrl: string): EventDraft {
  return rowEvent('plugin/configUpdated', instance, instanceObject(instance, [], publicUrl));
}
