import { tenantOf } from '../../auth/tenancy.ts';
import type { PaymentInstrument } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { noSuchInstrument } from './instrument-rows.ts';

export async function readPaymentInstrument(context: KeyContext, id: string): Promise<PaymentInstrument> {
  const instrument = await context.services.prisma.paymentInstrument.findFirst({
    where: { ...tenantOf(context.caller), id },
  });
  if (!instrument) throw noSuchInstrument(id);
  return instrument;
}
