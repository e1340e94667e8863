import type { SeededAccount } from '../../support/seed.ts';

const items = (name: string, unitAmount: number) => ({ currency: 'USD', items: [{ name, quantity: 1, unitAmount }] });

/** Landing → checkout → upsell → thank-you. */
export const exampleGraph = {
  nodes: [
    { id: 'landing', type: 'landing', isEntry: true },
    { id: 'checkout', type: 'checkout', config: items('Course', 4900) },
    { id: 'upsell', type: 'upsell', config: items('Workbook', 1900) },
    { id: 'thanks', type: 'thankyou', isConversion: true },
  ],
  edges: [
    { source: 'landing', target: 'checkout' },
    { source: 'checkout', target: 'upsell', condition: { when: 'payment_succeeded' } },
    { source: 'upsell', target: 'thanks', condition: { when: 'offer_accepted' } },
    { source: 'upsell', target: 'thanks', condition: { when: 'offer_declined' } },
  ],
};

export async function addFunnel(
  account: SeededAccount,
  more: Record<string, unknown> = {},
): Promise<{ id: string; version: number; isDefault: boolean }> {
  return account.api.ok('/funnels', { storeId: account.storeId, name: 'Course', ...exampleGraph, ...more });
}
