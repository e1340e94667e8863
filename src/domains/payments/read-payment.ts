import { tenantOf } from '../../auth/tenancy.ts';
import type { KeyContext } from '../../graph/context.ts';
import type { PaymentWithTransactions } from './payment-rows.ts';
import { requirePayment } from './payment-with-transactions.ts';

export function readPayment({ services, caller }: KeyContext, paymentId: string): Promise<PaymentWithTransactions> {
  return requirePayment(services.prisma, { ...tenantOf(caller), id: paymentId });
}
