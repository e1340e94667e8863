import { NotFound } from '../kit/errors.ts';

export function noSuchFunnel(): NotFound {
  return new NotFound('There is no such funnel.');
}
