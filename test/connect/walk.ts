import type { Client } from '../support/client.ts';

/** The redirect target of one step. */
export async function redirectFrom(url: string): Promise<{ status: number; location: string | null; text: string }> {
  const response = await fetch(url, { redirect: 'manual' });
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
