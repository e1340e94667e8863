import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { writeWhole } from './whole-file.ts';

interface DemoAccount {
  id: string;
  storeId: string;
  subKey: string;
  /** An instrument whose charges are approved, for the examples. */
  paymentInstrumentId: string | null;
}

/** The demo's plugin: its deployment and instance, and the path at which it is served. */
export interface DemoPlugin {
  deploymentId: string;
  deploymentInstanceId: string;
  storeId: string;
  alias: string;
  path: string;
}

/** The credentials of the demo tenant, stored on this machine only and ignored by git. */
export interface Demo {
  baseUrl: string;
  partner: { id: string; slug: string };
  partners: { id: string; slug: string }[];
  /** The live key is null in the sandbox, which has test mode only. */
  partnerKeys: { test: string; live: string | null };
  accounts: { test: DemoAccount; live: DemoAccount | null };
  /** Absent in the file of an earlier version. */
  plugin?: DemoPlugin;
  /** The demo's funnel; a visitor who opens its path starts a session. */
  funnel?: { id: string; path: string };
  organizations: {
    accountId: string;
    organizationId: string | null;
    slug: string | null;
    kind: string;
    partnerSlug: string | null;
  }[];
  users: {
    email: string;
    password: string;
    idpUserId: string;
    platformRoles: string[];
    whitelabelOwnership: string | null;
  }[];
}

/** Names and amounts of the demo, which are also those of the examples of the API reference. */
export const demoNames = {
  partner: { slug: 'north', name: 'North Payments' },
  merchant: { legalName: 'Corner Shop Ltd', externalRef: 'corner-shop-ltd' },
  store: 'Corner Shop Online',
  customer: { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' },
  club: { name: 'Coffee club', description: 'Two bags a delivery', monthlyAmount: 1_900 },
  mug: { name: 'Mug', unitAmount: 1_250 },
  course: { name: 'Bread course', unitAmount: 4_900 },
  flow: 'Two in a row',
  endpoint: 'Shop: payments',
} as const;

/** The demo's credentials, or undefined when there is no demo tenant. A production server never has one. */
export function readDemo(config: Pick<Config, 'isProduction' | 'platformDir'>): Demo | undefined {
  if (config.isProduction) return undefined;
  try {
    return JSON.parse(readFileSync(fileOf(config), 'utf8')) as Demo; // written by writeDemo only
  } catch {
    return undefined;
  }
}

/** As `readDemo`, but asynchronous, for a server that answers requests meanwhile. */
export async function loadDemo(config: Pick<Config, 'isProduction' | 'platformDir'>): Promise<Demo | undefined> {
  if (config.isProduction) return undefined;
  try {
    return JSON.parse(await readFile(fileOf(config), 'utf8')) as Demo; // written by writeDemo only
  } catch {
    return undefined;
  }
}

export function writeDemo(config: Pick<Config, 'platformDir'>, demo: Demo): void {
  writeWhole(fileOf(config), `${JSON.stringify(demo, null, 2)}\n`);
}

/** Updates the addresses, since the server may be started on another port or under another name. */
export function readdressDemo(config: Pick<Config, 'isProduction' | 'platformDir' | 'publicUrl'>): void {
  const demo = readDemo(config);
  if (demo && demo.baseUrl !== config.publicUrl) writeDemo(config, { ...demo, baseUrl: config.publicUrl });
}

function fileOf({ platformDir }: Pick<Config, 'platformDir'>): string {
  return join(platformDir, 'demo.json');
}

/** A command that charges the demo's card. */
export function chargeCommand(publicUrl: string, { accounts: { test } }: Demo): string {
  const body = JSON.stringify({
    storeId: test.storeId,
    paymentInstrumentId: test.paymentInstrumentId,
    amount: 2500,
    currency: 'USD',
  });
  return (
    `curl ${publicUrl}/api/public/v1/payments/process -H 'Authorization: Bearer ${test.subKey}' -H ` +
    `'Content-Type: application/json' -d '${body}'`
  );
}
