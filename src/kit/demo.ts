import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';

interface DemoAccount {
  id: string;
  storeId: string;
  subKey: string;
  /** An instrument that is approved, for the ready examples. */
  paymentInstrumentId: string | null;
}

/** The credentials of the demo tenant (contract 22), kept where only this machine sees them and out of git. */
export interface Demo {
  baseUrl: string;
  partner: { id: string; slug: string };
  partners: { id: string; slug: string }[];
  partnerKeys: { test: string; live: string };
  accounts: { test: DemoAccount; live: DemoAccount };
  organizations: { accountId: string; organizationId: string | null; slug: string | null; kind: string; partnerSlug: string | null }[];
  users: { email: string; password: string; idpUserId: string; platformRoles: string[]; whitelabelOwnership: string | null }[];
}

/** The demo's credentials, or undefined when there is no demo tenant. A production server never has one. */
export function readDemo(config: Pick<Config, 'isProduction' | 'platformDir'>): Demo | undefined {
  if (config.isProduction) return undefined;
  try {
    return JSON.parse(readFileSync(fileOf(config), 'utf8')) as Demo; // written by writeDemo only
  } catch {
    return undefined;
  }
}

export function writeDemo(config: Pick<Config, 'platformDir'>, demo: Demo): void {
  writeFileSync(fileOf(config), `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
}

function fileOf({ platformDir }: Pick<Config, 'platformDir'>): string {
  return join(platformDir, 'demo.json');
}
