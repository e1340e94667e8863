import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { heading, links } from './console.ts';

/** The pages of the menu, each with a root field that its rows come from or that it is for. */
const menu = {
  Overview: 'kybQueue',
  Payments: 'payments',
  'Refund approvals': 'refundRequests',
  Customers: 'customers',
  Cards: 'paymentInstruments',
  Orders: 'orders',
  Disputes: 'disputes',
  Subscriptions: 'subscriptions',
  Funnels: 'funnels',
  'Deferred charges': 'deferredCharges',
  Accounts: 'accounts',
  'KYB reviews': 'kybQueue',
  'API keys': 'apiKeys',
  'Key approvals': 'partnerKeyRequests',
  Processors: 'processors',
  'Test clocks': 'testClocks',
  'Card testing alerts': 'cardTestingAlerts',
  Events: 'events',
  'Webhook endpoints': 'webhookEndpoints',
  'Webhook deliveries': 'webhookDeliveries',
  Partners: 'partners',
  Staff: 'inviteStaff',
  Users: 'users',
  Organizations: 'organizations',
  Ledger: 'ledgerVerification',
  Jobs: 'jobs',
  'Unapplied processor events': 'unappliedProcessorEvents',
  'Audit log': 'auditLog',
};

/** The kinds of caller that may use each root field, by the access matrix of the contract. */
export const rowsOfMatrix = readFileSync(join(import.meta.dirname, '..', 'rest', 'access-matrix.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split(/\s+/))
  .map(([operation, field = '', , ...kinds]) => ({ operation, field, kinds: new Set(kinds) }));
const matrix = new Map(rowsOfMatrix.map(({ field, kinds }) => [field, kinds]));
export const mayUse = (kind: string, field: string): boolean => matrix.get(field)?.has(kind) ?? false;
export const menuOf = (kind: string): string[] =>
  Object.entries(menu)
    .filter(([, field]) => mayUse(kind, field))
    .map(([name]) => name);

/** The menu as a person sees it. */
export const menuShownBy = async (page: Page): Promise<string[]> => {
  await heading(page, 'Overview').waitFor();
  return (await links(page).allInnerTexts()).filter((name) => name !== 'Profile');
};
