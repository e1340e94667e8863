import type { PluginMount, Prisma } from '../../generated/prisma/client.ts';

/** Returns the address of a mount, or of a page below it. */
export function mountUrl(
  publicUrl: string,
  { storeId, alias, basePath }: Pick<PluginMount, 'storeId' | 'alias' | 'basePath'>,
  pagePath = '/',
): string {
  return `${publicUrl}/p/${storeId}/${alias}${basePath === '/' ? '' : basePath}${pagePath}`;
}

/** Returns the address of a page of an instance at its oldest mount. Null if the instance is not mounted. */
export async function pageUrlOf(
  db: Pick<Prisma.TransactionClient, 'pluginMount'>,
  publicUrl: string,
  {
    storeId,
    deploymentInstanceId,
    path,
    session,
  }: { storeId: string; deploymentInstanceId: string; path?: string | null; session?: string },
): Promise<string | null> {
  const mount = await db.pluginMount.findFirst({
    where: { storeId, deploymentInstanceId },
    orderBy: [{ createdAt: 'asc' }, { alias: 'asc' }, { basePath: 'asc' }],
  });
  if (!mount) return null;
  const url = mountUrl(publicUrl, mount, path ?? '/');
  return session === undefined ? url : `${url}?session=${encodeURIComponent(session)}`;
}
