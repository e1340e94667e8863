import type { KeyContext } from '../../graph/context.ts';
import { readAccount } from '../accounts/public.ts';
import { type KybObject, kybObject } from './kyb-object.ts';

/** Reads the KYB of an account that is visible to the key. */
export async function readKyb(context: KeyContext, accountId: string): Promise<KybObject> {
  const account = await readAccount(context, accountId);
  return kybObject(
    account,
    await context.services.prisma.kybRequirement.findMany({ where: { platformAccountId: account.id } }),
  );
}
