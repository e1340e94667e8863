import { AsyncLocalStorage } from 'node:async_hooks';

/** The token of a link to choose another password. */
export interface IssuedReset {
  email: string;
  token: string;
}

const issued = new AsyncLocalStorage<IssuedReset[]>();

/** Called by the engine when it has made a token, which it hands over here only. */
export function noteReset(reset: IssuedReset): void {
  issued.getStore()?.push(reset);
}

/** The token that the engine makes while `ask` runs. Null without an account. */
export function resetIssuedBy(ask: () => Promise<unknown>): Promise<IssuedReset | null> {
  const resets: IssuedReset[] = [];
  return issued.run(resets, async () => {
    await ask();
    return resets[0] ?? null;
  });
}
