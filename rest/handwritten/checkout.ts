import { type Request, type RequestHandler, Router } from 'express';
import type { Env } from '../../src/env.ts';
import type { CheckoutView, VisitFrom } from '../../src/funnels/checkout-session.ts';
import { acceptOffer, continueCheckout, declineOffer, leaveLanding, payCheckout, readCheckout } from '../../src/funnels/checkout.ts';
import { tokenHashOf } from '../../src/funnels/checkout-token.ts';
import { countAttempt } from '../../src/identity/attempts.ts';
import { type InputIssue, InvalidInput } from '../../src/kit/errors.ts';
import { readBody } from '../engine/body.ts';
import { exchangeOf } from '../engine/exchange.ts';
import { sendError, sendJson } from '../engine/respond.ts';
import { surfaces } from '../surfaces.ts';
import { assertOwnPage } from './own-page.ts';

const root = '/checkout/sessions/:token';
const bodyBytesMax = 16 * 1024;

/** Calls a minute: of one session, and from one address, behind which a whole office may sit. */
const limits = { read: { session: 120, address: 1_200 }, act: { session: 20, address: 200 } } as const;

/**
 * What a page of a funnel may do, with the secret of its session in place of a key. No document can be it: it serves visitors, who
 * have no key, and takes cards from a browser. Each route is one operation of `src/funnels/checkout.ts`.
 */
export function checkoutRoutes(env: Env): RequestHandler {
  const router = Router({ strict: true, caseSensitive: true });
  const act = (path: string, work: (from: VisitFrom, body: Body) => Promise<CheckoutView>): void => {
    router.post(`${root}/${path}`, answer(env, 'act', async (from, request) => work(from, new Body(await readBody(request, bodyBytesMax)))));
  };
  router.get(root, answer(env, 'read', (from) => readCheckout(env, from)));
  act('next', (from, body) => leaveLanding(env, from, body.checked({ stepId: body.handle('stepId') })));
  act('pay', (from, body) => payCheckout(env, from, body.checked({ stepId: body.handle('stepId'), attemptId: body.handle('attemptId'), email: body.email('email'), card: body.card() })));
  act('accept', (from, body) => acceptOffer(env, from, body.checked({ stepId: body.handle('stepId'), attemptId: body.handle('attemptId') })));
  act('decline', (from, body) => declineOffer(env, from, body.checked({ stepId: body.handle('stepId') })));
  act('continue', (from) => continueCheckout(env, from));
  return router;
}

function answer(env: Env, kind: keyof typeof limits, work: (from: VisitFrom, request: Request<{ token: string }>) => Promise<CheckoutView>): RequestHandler<{ token: string }> {
  return async (request, response) => {
    const exchange = exchangeOf(request);
    // The pattern, never the path: the secret is a part of it.
    exchange.route = root;
    try {
      assertOwnPage(env.config, request);
      const { token } = request.params;
      const ip = request.ip ?? '';
      await countAttempt(env, `checkout-${kind}/address/${ip}`, limits[kind].address);
      await countAttempt(env, `checkout-${kind}/session/${tokenHashOf(token)}`, limits[kind].session);
      sendJson(request, response, 200, await work({ token, requestId: exchange.requestId, ip }, request));
    } catch (error) {
      sendError(env, surfaces.public, request, response, error);
    }
  };
}

const emailPattern = /^[^\s@<>"(),:;[\]\\]+@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/;

/** Reads a form's fields and gathers what is wrong with them. No message repeats what was sent. */
class Body {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #issues: InputIssue[] = [];

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  handle(name: string): string {
    return this.#text(name, /^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -');
  }

  email(name: string): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && value.length > 254) this.#issues.push({ path: name, message: 'must have at most 254 characters' });
    return this.#text(name, emailPattern, 'must be an e-mail address');
  }

  /** What a card is made of is judged where cards are. */
  card(): { cardNumber: string; expMonth: number; expYear: number; cvc: string; cardholderName: string | null } {
    const name = this.#fields['cardholderName'];
    if (name != null && typeof name !== 'string') this.#issues.push({ path: 'cardholderName', message: 'must be a text' });
    return { cardNumber: this.#text('cardNumber', /^[0-9 ]{1,40}$/, 'must be a card number'), expMonth: this.#number('expMonth'), expYear: this.#number('expYear'), cvc: this.#text('cvc', /^[0-9]{1,10}$/, 'must be the 3 or 4 digits on the card'), cardholderName: typeof name === 'string' ? name : null };
  }

  checked<Form>(form: Form): Form {
    if (this.#issues.length > 0) throw new InvalidInput(this.#issues);
    return form;
  }

  #text(name: string, pattern: RegExp, message: string): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && pattern.test(value)) return value;
    this.#issues.push({ path: name, message: value == null || value === '' ? 'is required' : message });
    return '';
  }

  #number(name: string): number {
    const value = this.#fields[name];
    if (typeof value === 'number' && Number.isInteger(value)) return value;
    this.#issues.push({ path: name, message: value == null ? 'is required' : 'must be a whole number' });
    return 0;
  }
}
