import type { Client } from '../support/client.ts';

/** Where a browser is sent from here, by one step of it. */
export async function redirectFrom(url: string): Promise<{ status: number; location: string | null; text: string }> {
  const response = await fetch(url, { redirect: 'manual' });
  return { status: response.status, location: response.headers.get('location'), text: await response.text() };
}

/** Ends an attempt at our callback, and gives what the return address is told. */
export async function come(callback: string | null): Promise<Record<string, string>> {
  const { status, location } = await redirectFrom(callback ?? '');
  if (status !== 303 || location === null) throw new Error(`The callback answered ${status}.`);
  return Object.fromEntries(new URL(location).searchParams);
}

export async function stripeProcessor(api: Client): Promise<string> {
  return (await api.ok('/processors/create', { name: 'Stripe', type: 'stripe' })).id;
}

export const initiatePath = '/processors/cardprocessor-connect/initiate';
