import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import { NotFound } from '../../kit/errors.ts';
import type { ProductRow } from './types.ts';

export async function readProduct(context: KeyContext, productId: string): Promise<ProductRow> {
  const product = await context.services.prisma.product.findFirst({
    where: { ...tenantOf(context.caller), id: productId },
    include: { prices: { orderBy: { position: 'asc' } } },
  });
  if (!product) throw new NotFound('There is no such product.');
  return product;
}
