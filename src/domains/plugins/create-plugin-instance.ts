import type { KeyContext } from '../../graph/context.ts';
import { InvalidInput, invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { configSizeIssues } from './config-sizes.ts';
import { deploymentOf, lockedDeployment, lockPlugins, noSuchDeployment } from './deployment-rows.ts';
import type { CreatePluginInstanceInput } from './instance-inputs.ts';
import { addInstance, type InstanceRow } from './instance-rows.ts';
import { checkingSchemas } from './schema-checker.ts';
import { selectConfig } from './select-config.ts';

/** Creates an instance of a deployment in a store of its account. */
export async function createPluginInstance(
  context: KeyContext,
  input: typeof CreatePluginInstanceInput.$inferInput,
): Promise<InstanceRow> {
  if (input.presetName != null && input.config != null)
    throw invalid('presetName', 'must not stand beside config: an instance begins with one of the two');
  const issues = input.config ? configSizeIssues(input.config) : [];
  if (issues.length > 0) throw new InvalidInput(issues);
  const named = input.storeId == null ? null : await storeOf(context, input.storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'createPluginInstance', async (change) => {
      const { tx } = change;
      const found = await deploymentOf(tx, context.caller, input.deploymentId);
      if (named && named.platformAccountId !== found.platformAccountId) throw noSuchDeployment();
      await lockPlugins(tx, found.platformAccountId);
      const deployment = await lockedDeployment(tx, found.id, 'SHARE');
      const config = await selectConfig(checker, deployment, input);
      const store = named ?? (await tx.store.findUniqueOrThrow({ where: { id: deployment.storeId } }));
      return addInstance(context, change, store, deployment, { name: input.name ?? deployment.name, config });
    }),
  );
}
