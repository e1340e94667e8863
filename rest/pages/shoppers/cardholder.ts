import { type Request, type RequestHandler, type Response, Router } from 'express';
import {
  type CardholderRequest,
  linkIdIn,
  payAsCardholder,
  readCardholderChallenge,
  readCardholderPage,
  readCardholderPlace,
} from '../../../src/domains/subscriptions/public.ts';
import { type Cookie, cookieAt } from '../../../src/lib/cookies.ts';
import { DomainError, InvalidInput, NotFound } from '../../../src/lib/errors.ts';
import { countAddress, countAttempt } from '../../../src/limits/windows.ts';
import type { Services } from '../../../src/services.ts';
import { readBody } from '../../engine/body.ts';
import { exchangeOf } from '../../engine/exchange.ts';
import { cookieNamed, wordsFor } from '../../engine/reader.ts';
import { sendJson } from '../../engine/respond.ts';
import { CheckoutForm, onlyFields } from '../frame/forms.ts';
import { sendSitePage } from '../frame/page.ts';
import { type Explanation, refuse } from '../frame/refuse.ts';
import { assertVisitorPage } from '../frame/visitor.ts';
import { cardholderPage } from './cardholder-page.ts';

const root = '/cardholder/:link';
const bodyBytesMax = 4096;
const challengeMaxMs = 3_600_000;

/** Calls per minute of one link and of one address (IPv6: its /64), which many visitors may share. */
const limits = { read: { link: 120, address: 1_200 }, act: { link: 20, address: 200 } } as const;

/**
 * The hosted page on which a cardholder pays the open period of a subscription. Written by hand because it answers with
 * HTML, to a visitor who has only the link.
 */
export function cardholderRoutes(services: Services): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });

  router.get(
    root,
    visit(services, async (from, request, response) => {
      const view = await readCardholderPage(services, from);
      sendSitePage(request, response, cardholderPage(wordsFor(request, response), from.link, view));
    }),
  );
  router.get(
    `${root}/challenge`,
    visit(services, async (from, _request, response) => {
      const { subscriptionId, url } = await readCardholderChallenge(services, from);
      // The issuer returns the cardholder to an address without the link, which a cookie stores in the meantime.
      const { name, options } = returnCookie(services, subscriptionId);
      response.cookie(name, from.link, { ...options, maxAge: challengeMaxMs });
      redirect(response, url ?? `${services.config.publicUrl}/cardholder/${from.link}`);
    }),
  );
  router.get(
    '/cardholder/return/:subscriptionId',
    visit(services, async ({ link }, _request, response) => {
      if (link === '') throw new NotFound('Page not found.');
      // The page continues the payment.
      redirect(response, `${services.config.publicUrl}/cardholder/${link}`);
    }),
  );
  const act = (path: string, fields: readonly string[], pay: Pay): void => {
    router.post(`${root}/${path}`, answer(services, fields, pay));
  };
  act('confirm', ['amount'], (from, body) => payAsCardholder(services, from, shownIn(body), null));
  act('pay', ['amount', 'cardNumber', 'expiry', 'cvc'], (from, body) =>
    payAsCardholder(services, from, shownIn(body), cardIn(body)),
  );
  return router;
}

type Pay = (from: CardholderRequest, body: Readonly<Record<string, unknown>>) => Promise<void>;

/**
 * Only for the way back. A page of another site can make a browser collect any number of these cookies: sent with every
 * request, they would exceed the limit of headers and keep a person out of the whole platform.
 */
function returnCookie({ config }: Services, subscriptionId: string): Cookie {
  return cookieAt(config.publicUrl, `cardholder_${subscriptionId}`, { path: '/cardholder/return' });
}

/** The amount that the page has shown, in minor units. Null if it is missing. */
function shownIn({ amount }: Readonly<Record<string, unknown>>): number | null {
  if (amount === undefined) return null;
  if (typeof amount === 'string' && /^\d{1,15}$/.test(amount)) return Number(amount);
  throw new InvalidInput([{ path: 'amount', message: 'must be the amount that the page shows, in minor units' }]);
}

/** The card of the form, which sends the expiry as one text. */
function cardIn({ cardNumber, expiry, cvc }: Readonly<Record<string, unknown>>) {
  const text = typeof expiry === 'string' ? expiry : '';
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*\/?\s*(\d{2}|\d{4})\s*$/.exec(text) ?? [];
  const form = new CheckoutForm({
    cardNumber: typeof cardNumber === 'string' ? cardNumber.trim() : cardNumber,
    cvc: typeof cvc === 'string' ? cvc.trim() : cvc,
    ...(month !== '' && { expMonth: Number(month), expYear: Number(year.length === 2 ? `20${year}` : year) }),
  });
  return form.checked(form.card());
}

function redirect(response: Response, url: string): void {
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).redirect(303, url);
}

/** A route that the browser navigates to. */
function visit(
  services: Services,
  show: (from: CardholderRequest, request: Request, response: Response) => Promise<void>,
): RequestHandler<Record<string, string>> {
  return async (request, response) => {
    const { subscriptionId } = request.params;
    const link = request.params['link'] ?? cookieNamed(request, returnCookie(services, String(subscriptionId)));
    try {
      const ip = request.ip ?? '';
      await count(services, 'read', link, ip);
      await show({ link, requestId: exchangeOf(request).requestId, ip }, request, response);
    } catch (error) {
      refuse(services, request, response, error, await explanationOf(services, request, link, error));
    }
  };
}

/** A route that the page calls. If the period has changed meanwhile, the page reports it. */
function answer(services: Services, fields: readonly string[], pay: Pay): RequestHandler<{ link: string }> {
  return async (request, response) => {
    const { link } = request.params;
    try {
      assertVisitorPage(services.config, request);
      const from = { link, requestId: exchangeOf(request).requestId, ip: request.ip ?? '' };
      await count(services, 'act', link, from.ip);
      await pay(from, onlyFields(await readBody(services, request, bodyBytesMax), fields));
      const { url } = await readCardholderChallenge(services, from);
      sendJson(request, response, 200, { redirectUrl: pageOf(services, link, url === null ? '' : '/challenge') });
    } catch (error) {
      if (!(error instanceof DomainError && error.status === 410)) throw error;
      sendJson(request, response, 200, { redirectUrl: pageOf(services, link) });
    }
  };
}

function pageOf({ config }: Services, link: string, below = ''): string {
  return `${config.publicUrl}/cardholder/${link}${below}`;
}

async function count(services: Services, kind: 'read' | 'act', link: string, ip: string): Promise<void> {
  await countAddress(services, `cardholder-${kind}`, ip, limits[kind].address);
  // By the link's id, since the counter's name is stored; a forged link does not use up the calls of the link.
  const linkId = linkIdIn(services.config, link);
  if (linkId !== null) await countAttempt(services, `cardholder-${kind}/link/${linkId}`, limits[kind].link);
}

/** The text for a cardholder whose page cannot be opened, with the partner's brand. */
async function explanationOf(
  services: Services,
  request: Request<Record<string, string>>,
  link: string,
  error: unknown,
): Promise<Explanation> {
  const { text } = wordsFor(request);
  if (!(error instanceof DomainError)) return {};
  if (link === '' && error.status === 404)
    return { title: text('cardholder.elsewhere'), sentence: text('cardholder.elsewhere.text') };
  // The page of an error must not fail, as the database may be unavailable.
  const place = await readCardholderPlace(services, link).catch(() => null);
  if (!place) return {};
  const { brand, isPaid } = place;
  const key =
    error.status === 403
      ? 'cardholder.closed'
      : error.status === 410
        ? isPaid
          ? 'cardholder.paid'
          : 'cardholder.ended'
        : null;
  return key === null ? { brand } : { brand, title: text(key), sentence: text(`${key}.text`) };
}
