import type { PluginInstance } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { objectOf } from './deployment-rows.ts';
import type { RollBackPluginConfigInput } from './instance-inputs.ts';
import { lockedInstance, replaceConfiguration } from './replace-configuration.ts';
import { checkingSchemas } from './schema-checker.ts';
import { assertConfig } from './select-config.ts';

/** Makes an earlier configuration the live one, as a new version. It must satisfy the current schema. */
export async function rollBackPluginConfig(
  context: KeyContext,
  { deploymentInstanceId, storeId, version }: typeof RollBackPluginConfigInput.$inferInput,
): Promise<PluginInstance> {
  await storeOf(context, storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'rollBackPluginConfig', async (change) => {
      const { instance, deployment } = await lockedInstance(context, change.tx, { deploymentInstanceId, storeId });
      const earlier = await change.tx.pluginConfiguration.findUnique({
        where: { deploymentInstanceId_version: { deploymentInstanceId, version } },
      });
      if (!earlier) throw new NotFound(`There is no configuration ${version} of this plugin instance.`);
      const config = objectOf(earlier.config) ?? {};
      await assertConfig(checker, deployment, config);
      return version === instance.configVersion
        ? instance
        : replaceConfiguration(context, change, instance, { config, reason: 'rolledBack', rolledBackTo: version });
    }),
  );
}
