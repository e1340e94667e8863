import type { Client } from '../../../support/client.ts';

/** The cookies of the one browser, as `name=value`. */
const jar = new Set<string>();

/** Confirms on the page of consent, and returns the address of the authorization page. */
export async function consent(url: string): Promise<string> {
  const page = await fetch(url);
  keepCookies(page);
  const token = /name="token" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  const confirmed = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { Cookie: [...jar].toReversed().join('; ') },
    body: new URLSearchParams({ token }),
  });
  keepCookies(confirmed);
  if (confirmed.status !== 303) throw new Error(`The page of consent answered ${confirmed.status}.`);
  return confirmed.headers.get('Location') ?? '';
}

function keepCookies({ headers }: Response): void {
  for (const cookie of headers.getSetCookie()) jar.add(cookie.split(';')[0] ?? '');
}

/** The redirect target of one step. */
export async function redirectFrom(url: string): Promise<{ status: number; location: string | null; text: string }> {
  const response = await fetch(url, { redirect: 'manual', headers: { Cookie: [...jar].join('; ') } });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

/** Completes an attempt at the platform's callback, and returns the parameters of the return URL. */
export async function come(callback: string | null): Promise<Record<string, string>> {
  const { status, location } = await redirectFrom(callback ?? '');
  if (status !== 303 || location === null) throw new Error(`The callback answered ${status}.`);
  return Object.fromEntries(new URL(location).searchParams);
}

export async function stripeProcessor(api: Client): Promise<string> {
  return (await api.ok('/processors/create', { name: 'Stripe', type: 'stripe' })).id;
}

export const initiatePath = '/processors/cardprocessor-connect/initiate';
