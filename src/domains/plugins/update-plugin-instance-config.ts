import type { PluginInstance } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { canonicalJson } from '../../kit/canonical-json.ts';
import { InvalidInput } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { storeOf } from '../stores/public.ts';
import { configSizeIssues } from './config-sizes.ts';
import type { UpdatePluginInstanceConfigInput } from './instance-inputs.ts';
import { lockedInstance, replaceConfiguration } from './replace-configuration.ts';
import { checkingSchemas } from './schema-checker.ts';
import { assertConfig } from './select-config.ts';

/** Replaces the whole live configuration of an instance. An equal configuration changes nothing. */
export async function updatePluginInstanceConfig(
  context: KeyContext,
  { deploymentInstanceId, storeId, config }: typeof UpdatePluginInstanceConfigInput.$inferInput,
): Promise<PluginInstance> {
  const issues = configSizeIssues(config);
  if (issues.length > 0) throw new InvalidInput(issues);
  await storeOf(context, storeId);
  return checkingSchemas(context, (checker) =>
    write(context, 'updatePluginInstanceConfig', async (change) => {
      const { instance, deployment } = await lockedInstance(context, change.tx, { deploymentInstanceId, storeId });
      await assertConfig(checker, deployment, config);
      return canonicalJson(instance.config) === canonicalJson(config)
        ? instance
        : replaceConfiguration(context, change, instance, { config, reason: 'updated' });
    }),
  );
}
