import { afterAll, beforeAll } from 'vitest';
import { type Facade, startFacade } from './small-facade.ts';

// the body of a 400, which names every field
export const issuesOf = (body: unknown) =>
  (body as { data: { issues: { path: string; message: string }[] } }).data.issues;

export const valid = { amount: 5 };

/** The facade of a small schema, for the tests of a file. */
export function engineWorld() {
  let facade: Facade;
  beforeAll(async () => {
    facade = await startFacade();
  });
  afterAll(() => facade[Symbol.asyncDispose]());

  const list = (body: unknown) => facade.call('POST', '/orders/list', { body: JSON.stringify(body) });
  const create = (body: unknown, headers: Record<string, string> = {}) =>
    facade.call('POST', '/orders/create', { body: JSON.stringify(body), headers });

  return {
    get facade() {
      return facade;
    },
    list,
    create,
  };
}
