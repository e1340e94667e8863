import type { KeyContext } from '../../graph/context.ts';
import { type DeploymentRow, deploymentOf } from './deployment-rows.ts';

export function readPluginDeployment(
  { services, caller }: Pick<KeyContext, 'services' | 'caller'>,
  deploymentId: string,
): Promise<DeploymentRow> {
  return deploymentOf(services.prisma, caller, deploymentId);
}
