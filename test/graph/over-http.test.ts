import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
await disableRateLimits(platform);
const key = (await seedPartner(platform)).partnerKey;

/** The audits send relative requests to the platform that has been started by then. */
const callers = { 'without a key': () => undefined, 'with a key': () => key };

describe.each(Object.entries(callers))('GraphQL over HTTP %s', (_caller, keyOf) => {
  const audits = serverAudits({
    url: () => `${platform.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      const secret = keyOf();
      if (secret !== undefined) headers.set('Authorization', `Bearer ${secret}`);
      return fetch(url, { ...init, headers });
    },
  });

  test.each(
    audits.filter(({ name }) => !name.startsWith('MAY')).map(({ name, fn }) => [name, fn] as const),
  )('%s', async (_name, audit) => {
    expect(await audit()).toMatchObject({ status: 'ok' });
  });
});
