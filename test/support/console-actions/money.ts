import type { SignedIn } from '../../iam/people.ts';
import type { ConsoleWorld } from '../console.ts';
import { limitRefunds } from '../refund-limit.ts';
import type { SeededAccount } from '../seed.ts';
import { priceOf } from '../subscriptions.ts';
import { type ActionCase, does } from './action-case.ts';

export async function ofPayments({ platform, account, partner }: ConsoleWorld): Promise<ActionCase[]> {
  const charge = async (more: Record<string, unknown> = {}): Promise<string> =>
    String((await account.charge('tok_visa', more)).payment['id']);
  const [paid, toCapture, toVoid, captured] = await Promise.all([
    charge(),
    charge({ mode: 'auth' }),
    charge({ mode: 'auth' }),
    charge({ mode: 'auth' }),
  ]);
  const unreachable = await partner.account('Unreachable Shop');
  const [processor] = (await unreachable.api.ok('/processors/list', {})).items;
  await unreachable.api.ok(`/processors/${processor.id}`, { options: { down: true } }, { method: 'PUT' });
  const unknown = String((await unreachable.charge()).payment['id']);
  // Until then a person may not say what the processor did.
  await platform.services.prisma.transaction.updateMany({
    where: { paymentId: unknown },
    data: { createdAt: new Date(platform.services.clock.now().getTime() - 600_000) },
  });
  return [
    {
      mutation: 'RefundPayment',
      name: 'Refund',
      path: `/test/payments/${paid}`,
      typed: { 'Amount in USD': '2' },
      meanwhile: {
        happens: () => account.api.ok('/payments/refund', { paymentId: paid, amount: 100 }),
        says: /Refunded changed from \$0\.00 to \$1\.00/,
      },
    },
    {
      mutation: 'CapturePayment',
      name: 'Capture',
      path: `/test/payments/${toCapture}`,
      typed: { 'Amount in USD': '20' },
    },
    { mutation: 'VoidPayment', name: 'Void', path: `/test/payments/${toVoid}` },
    {
      mutation: 'VoidPayment',
      name: 'Void',
      path: `/test/payments/${captured}`,
      meanwhile: {
        happens: () => account.api.ok('/payments/capture', { paymentId: captured }),
        says: /Status changed from authorized to captured/,
        isOver: true,
      },
    },
    {
      mutation: 'ResolvePayment',
      name: 'Resolve',
      path: `/test/payments/${unknown}`,
      typed: { 'Not found or failed at the processor': null },
    },
  ];
}

export async function ofSubscriptions({ account }: ConsoleWorld): Promise<ActionCase[]> {
  const priceId = await priceOf(account);
  const [canceled, paused, resumed] = await Promise.all([
    subscribed(account, priceId),
    subscribed(account, priceId),
    subscribed(account, priceId),
  ]);
  const change = (verb: string, subscriptionId: string, more = {}) =>
    account.api.ok(`/subscriptions/${verb}`, { subscriptionId, ...more });
  await change('pause', resumed);
  return [
    {
      mutation: 'CancelSubscription',
      name: 'Cancel',
      path: `/test/subscriptions/${canceled}`,
      meanwhile: {
        happens: () => change('cancel', canceled, { cancelAtPeriodEnd: true }),
        says: /Cancellation changed from none to at period end/,
      },
    },
    {
      mutation: 'PauseSubscription',
      name: 'Pause',
      path: `/test/subscriptions/${paused}`,
      typed: { 'Until (UTC)': `${new Date().getUTCFullYear() + 1}-01-02T10:00` },
    },
    {
      mutation: 'ResumeSubscription',
      name: 'Resume',
      path: `/test/subscriptions/${resumed}`,
      meanwhile: {
        happens: () => change('resume', resumed),
        says: /Status changed from paused to active/,
        isOver: true,
      },
    },
  ];
}

async function subscribed({ api, instrument }: SeededAccount, priceId: string): Promise<string> {
  const { id: paymentInstrumentId, customerId } = await instrument();
  return (await api.ok('/subscriptions/create', { customerId, paymentInstrumentId, priceId })).id;
}

export async function ofRefundRequests(
  { platform, partner }: ConsoleWorld,
  person: SignedIn,
  other: SignedIn,
): Promise<ActionCase[]> {
  await limitRefunds(platform.services, 2000);
  const account = await partner.account('Returned Shop');
  const requested = async (by: SignedIn) => {
    const { payment } = await account.charge();
    const { id } = await does(
      by,
      `refundPayment(input: { paymentId: "${payment['id']}" }, reason: "late") { ... on RefundRequest { id } }`,
    );
    return { path: `/test/payments/${payment['id']}`, paymentId: payment['id'], id: String(id) };
  };
  const [approved, rejected, decided, withdrawn] = await Promise.all([
    requested(other),
    requested(other),
    requested(other),
    requested(person),
  ]);
  return [
    { mutation: 'ApproveRefund', name: 'Approve', path: approved.path },
    { mutation: 'RejectRefund', name: 'Reject', path: rejected.path },
    {
      mutation: 'ApproveRefund',
      name: 'Approve',
      path: `/test/refund-requests?status=pending&paymentId=${decided.paymentId}`,
      meanwhile: {
        happens: () => does(other, `withdrawRefundRequest(requestId: "${decided.id}", reason: "mine") { id }`),
        says: /The request is withdrawn already/,
        isOver: true,
      },
    },
    { mutation: 'WithdrawRefund', name: 'Withdraw', path: withdrawn.path },
    {
      mutation: 'SetRefundLimit',
      name: 'Set approval threshold',
      path: '/test/refund-requests',
      typed: { Amount: '30' },
      meanwhile: {
        happens: () => does(other, 'setRefundLimit(mode: test, currency: USD, amount: 1500, reason: "new") { amount }'),
        says: /Limits changed from \$20\.00 to \$15\.00/,
      },
    },
  ];
}
