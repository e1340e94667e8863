import { newId } from '../../kit/ids.ts';
import type { AccountFollower } from '../accounts/public.ts';
import { kybCodes } from './requirements.ts';

/** Adds the requirements of a new account. All of them are missing at first. */
export const kybFollower: AccountFollower = {
  async accountCreated({ tx, now }, { id: platformAccountId, partnerId, mode }) {
    await tx.kybRequirement.createMany({
      data: kybCodes.map((code) => ({ id: newId('kyb_', now), partnerId, platformAccountId, mode, code })),
    });
  },
};
