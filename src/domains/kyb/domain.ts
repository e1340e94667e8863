import './schema.ts';
import type { Domain } from '../../domain.ts';
import type { Job } from '../../jobs/jobs.ts';
import { rewrapColumn } from '../../keys/rewrap.ts';
import { newId } from '../../lib/ids.ts';
import type { Services } from '../../services.ts';
import type { AccountFollower } from '../accounts/public.ts';
import { kybValues } from './kyb-rows.ts';
import { kybCodes } from './lifecycle.ts';

/** Adds the requirements of a new account. All of them are missing at first. */
const kybFollower: AccountFollower = {
  async accountCreated({ tx, now }, { id: platformAccountId, partnerId, mode }) {
    await tx.kybRequirement.createMany({
      data: kybCodes.map((code) => ({ id: newId('kyb_', now), partnerId, platformAccountId, mode, code })),
    });
  },
};

export const kybDomain = {
  name: 'kyb',
  reference: {
    title: 'KYB',
    description: 'The verification that a business must pass before its account can charge in live mode.',
  },
  idPrefixes: { kybRequirement: 'kyb_' },
  jobs: (services: Services): Job[] => [
    { name: 'rewrap-kyb-values', everyMs: 60_000, run: () => rewrapColumn(services, kybValues) },
  ],
  follows: { accounts: kybFollower },
} as const satisfies Domain;
