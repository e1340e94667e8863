import { IdpError } from '../../ports/identity-provider.ts';

/** The row of a statement that must find one. */
export function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new IdpError('NOT_FOUND', 'The identity provider has no object with this id.');
  return row;
}

/** Translates the violation of a unique index; throws any other error as it is. */
export function throwConflict(error: { code?: string }): never {
  if (error.code === '23505')
    throw new IdpError('CONFLICT', 'The identity provider has one of this kind already.', { cause: error });
  throw error;
}
