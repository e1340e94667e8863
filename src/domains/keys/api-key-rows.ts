import type { ApiKey } from '../../generated/prisma/client.ts';

/** A key without the hash of its secret. */
export type KeyRow = Omit<ApiKey, 'secretHash'>;

/** A new sub-key. The secret is null in a replayed answer. */
export type IssuedKey = Pick<ApiKey, 'id' | 'prefix' | 'platformAccountId' | 'label' | 'createdAt'> & {
  secret: string | null;
};
