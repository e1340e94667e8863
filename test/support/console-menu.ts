import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { heading, links } from './console.ts';

/** The pages of the menu, each with a root field that its rows come from or that it is for. */
const menu = {
  Overview: 'kybQueue',
  Payments: 'payments',
  'Refund approvals': 'refundRequests',
  Disputes: 'disputes',
  Orders: 'orders',
  Cards: 'paymentInstruments',
  Customers: 'customers',
  Subscriptions: 'subscriptions',
  'Deferred charges': 'deferredCharges',
  Funnels: 'funnels',
  Accounts: 'accounts',
  'KYB reviews': 'kybQueue',
  Processors: 'processors',
  Partners: 'partners',
  Organizations: 'organizations',
  'Block rules': 'blockRules',
  'Card testing alerts': 'cardTestingAlerts',
  Ledger: 'ledgerVerification',
  'Unapplied processor events': 'unappliedProcessorEvents',
  'API keys': 'apiKeys',
  'Key approvals': 'partnerKeyRequests',
  'Webhook endpoints': 'webhookEndpoints',
  'Webhook deliveries': 'webhookDeliveries',
  Events: 'events',
  'Test clocks': 'testClocks',
  Staff: 'inviteStaff',
  Users: 'users',
  'Audit log': 'auditLog',
  Jobs: 'jobs',
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
