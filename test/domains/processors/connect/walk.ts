import type { Client } from '../../../support/client.ts';

/** What a browser was answered. */
export interface Answered {
  url: string;
  status: number;
  location: string | null;
  text: string;
}

export interface Visitor {
  /** The `Cookie` header, of all cookies that it was given. */
  cookies: () => string;
  open(url: string): Promise<Answered>;
  /** Sends the form of consent of a page that was opened, with other fields or headers than those of a browser. */
  decide(
    page: Answered,
    outcome?: string,
    other?: { answer?: string; headers?: Record<string, string> },
  ): Promise<Answered>;
}

/** A browser of its own, which follows no redirects. */
export function newVisitor(): Visitor {
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (url: string, { headers, ...rest }: RequestInit = {}): Promise<Answered> => {
    const response = await fetch(url, { ...rest, redirect: 'manual', headers: { Cookie: cookies(), ...headers } });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    return { url, status: response.status, location: response.headers.get('location'), text: await response.text() };
  };
  return {
    cookies,
    open: (url) => ask(url),
    decide: ({ url, text }, outcome = 'approve', { answer = answerIn(text), headers } = {}) =>
      ask(new URL(/ action="([^"]*)"/.exec(text)?.[1] ?? '', url).href, {
        method: 'POST',
        headers: { Origin: new URL(url).origin, ...headers },
        body: new URLSearchParams({ answer, outcome }),
      }),
  };
}

/** The processor's answer, sealed in the form of consent; empty on other pages. */
export function answerIn(text: string): string {
  return /name="answer" value="([^"]*)"/.exec(text)?.[1] ?? '';
}

const visitor = newVisitor();

/** The redirect target of one step. */
export const redirectFrom = (url: string): Promise<Answered> => visitor.open(url);

/** Completes an attempt: opens the callback and decides, unless the attempt has failed already. */
export async function finish(callback: string, outcome = 'approve'): Promise<Answered> {
  const page = await visitor.open(callback);
  return answerIn(page.text) === '' ? page : visitor.decide(page, outcome);
}

/** Completes an attempt, and returns the parameters of the return URL. */
export async function come(callback: string | null, outcome = 'approve'): Promise<Record<string, string>> {
  const { status, location } = await finish(callback ?? '', outcome);
  if (status !== 303 || location === null) throw new Error(`The callback answered ${status}.`);
  return Object.fromEntries(new URL(location).searchParams);
}

export async function stripeProcessor(api: Client): Promise<string> {
  return (await api.ok('/processors/create', { name: 'Stripe', type: 'stripe' })).id;
}

export const initiatePath = '/processors/cardprocessor-connect/initiate';
