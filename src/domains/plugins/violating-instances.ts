import type { Prisma } from '../../generated/prisma/client.ts';
import { type DeploymentRow, objectOf } from './deployment-rows.ts';
import type { SchemaChecker } from './schema-checker.ts';

/** Configurations checked at once. Each may have 64 KiB. */
const batchMax = 20;

/**
 * Returns the instances whose live configuration violates the schema of a deployment. They stay live: the configuration
 * of a page is the merchant's to change.
 */
export async function violatingInstances(
  checker: SchemaChecker,
  tx: Prisma.TransactionClient,
  { id: deploymentId, schema: column }: DeploymentRow,
): Promise<string[]> {
  const schema = objectOf(column);
  if (schema === null) return [];
  const found: string[] = [];
  for (let after = ''; ; ) {
    const instances = await tx.pluginInstance.findMany({
      where: { deploymentId, id: { gt: after } },
      select: { id: true, config: true },
      orderBy: { id: 'asc' },
      take: batchMax,
    });
    const configs = instances.map(({ config }) => objectOf(config) ?? {});
    const violating = await checker.violatingOf(schema, configs);
    found.push(...instances.filter((_instance, index) => violating[index]).map(({ id }) => id));
    if (instances.length < batchMax) return found;
    after = instances.at(-1)?.id ?? '';
  }
}
