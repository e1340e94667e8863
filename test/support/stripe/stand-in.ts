import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  answerChallenge,
  cancelIntent,
  captureIntent,
  createIntent,
  createPaymentMethod,
  intentOf,
  updateIntent,
} from './intents.ts';
import { type Ledger, newLedger, newStripeId } from './ledger.ts';
import { createRefund } from './money.ts';
import { type Form, parseForm, type StripeErrorBody, StripeFault, textOf } from './wire.ts';

/** One request received by the stand-in. */
interface Seen {
  method: string;
  path: string;
  form: Form;
  headers: IncomingMessage['headers'];
}

/**
 * The fault of a request: no answer, before or after its execution; a broken connection after it; a server error,
 * before or after it; too many requests; or an answer of its own, after the execution.
 */
type Fault = 'neverArrives' | 'answerIsLost' | 'lineBreaks' | 'fails' | 'failsAfterwards' | 'tooMany' | NastyAnswer;

/** Writes an answer in place of the right one. */
export type NastyAnswer = (right: Answer, response: ServerResponse) => void;

export interface StripeStandIn {
  /** The base URL of its API. */
  url: string;
  /** The objects of the account of a key, or of the named connected account. */
  ledger(key: string, account?: string): Ledger;
  /** The requests received, in order. */
  seen: Seen[];
  /** The next requests to a matching path fail. */
  fault(fault: Fault, path: RegExp, times?: number): void;
  /** Makes the current objects visible to search, which finds no object before. */
  index(): void;
  /** Answers the challenge as the cardholder, at the URL in `next_action`. */
  answer(url: string, authentication: 'succeeded' | 'failed'): Promise<Response>;
  /** Runs before each answer to an executed request: the moment at which an event may be faster than the answer. */
  beforeAnswer: (() => Promise<void>) | null;
  close(): Promise<void>;
}

interface Stored {
  request: string;
  answer: Answer | null;
}

interface Answer {
  status: number;
  body: object;
}

/** A server that implements Stripe's wire format with state, for the accounts of the given keys. */
export async function startStripeStandIn(
  keys: readonly string[],
  connected: readonly string[] = [],
): Promise<StripeStandIn> {
  const ledgers = new Map<string, Ledger>();
  const idempotency = new Map<string, Stored>();
  const faults: { fault: Fault; path: RegExp; left: number }[] = [];
  const indexed = new Set<string>();
  const seen: Seen[] = [];
  let url = '';

  const ledgerOf = (key: string, account = ''): Ledger => {
    const name = `${key} ${account}`;
    const ledger = ledgers.get(name) ?? newLedger(key.includes('_live_'));
    ledgers.set(name, ledger);
    return ledger;
  };
  const allIntents = () =>
    [...ledgers.values()].flatMap((ledger) => [...ledger.intents.values()].map((intent) => ({ ledger, intent })));

  function authenticated({ headers }: IncomingMessage): Ledger {
    const key = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!keys.includes(key))
      throw new StripeFault(
        401,
        { type: 'invalid_request_error', message: `Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}` },
        true,
      );
    const account = headers['stripe-account'];
    if (account !== undefined && !connected.includes(String(account)))
      throw new StripeFault(
        403,
        {
          type: 'invalid_request_error',
          code: 'account_invalid',
          message:
            `The provided key does not have access to account '${String(account)}' (or that account does not ` +
            'exist).',
        },
        true,
      );
    return ledgerOf(key, account === undefined ? '' : String(account));
  }

  function work(ledger: Ledger, method: string, path: string, form: Form): object {
    const [, , resource = '', id = '', verb = ''] = path.split('/');
    if (method === 'GET') return read(ledger, resource, id, form);
    switch (`${resource}${id === '' ? '' : `/:id${verb === '' ? '' : `/${verb}`}`}`) {
      case 'payment_methods':
        return createPaymentMethod(ledger, form);
      case 'payment_intents':
        return createIntent(ledger, form, (intentId) => `${url}/authenticate/${intentId}`);
      case 'payment_intents/:id':
        return updateIntent(ledger, id, form);
      case 'payment_intents/:id/capture':
        return captureIntent(ledger, id, form);
      case 'payment_intents/:id/cancel':
        return cancelIntent(ledger, id, form);
      case 'refunds':
        return createRefund(ledger, form);
      default:
        throw new StripeFault(
          404,
          { type: 'invalid_request_error', message: `Unrecognized request URL (${method}: ${path}).` },
          true,
        );
    }
  }

  function read(ledger: Ledger, resource: string, id: string, form: Form): object {
    if (resource === 'payment_intents' && id === 'search') {
      const wanted = /^metadata\['(\w+)'\]:'(\w+)'$/.exec(textOf(form, 'query') ?? '');
      if (!wanted)
        throw new StripeFault(
          400,
          { type: 'invalid_request_error', message: 'We were unable to parse your search query.' },
          true,
        );
      return {
        object: 'search_result',
        url: '/v1/payment_intents/search',
        has_more: false,
        next_page: null,
        data: [...ledger.intents.values()].filter(
          (intent) => indexed.has(intent.id) && intent.metadata[wanted[1] ?? ''] === wanted[2],
        ),
      };
    }
    if (resource === 'payment_intents' && id !== '') return intentOf(ledger, id);
    const since = Number(textOf((form['created'] ?? {}) as Form, 'gte') ?? 0);
    if (resource === 'payment_intents')
      return page(
        [...ledger.intents.values()].filter((intent) => intent.created >= since),
        form,
        '/v1/payment_intents',
      );
    if (resource === 'refunds')
      return page(
        [...ledger.refunds.values()].filter((refund) => refund.payment_intent === textOf(form, 'payment_intent')),
        form,
        '/v1/refunds',
      );
    throw new StripeFault(
      404,
      { type: 'invalid_request_error', message: `Unrecognized request URL (GET: ${resource}).` },
      true,
    );
  }

  async function handle(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', url);
    const method = request.method ?? 'GET';
    const page_ = /^\/authenticate\/(\w+)$/.exec(pathname);
    if (page_) return authenticate(response, page_[1] ?? '', text);
    const form = parseForm(method === 'GET' ? search.slice(1) : text);
    seen.push({ method, path: pathname, form, headers: request.headers });
    const due = faults.find(({ path, left }) => left > 0 && path.test(`${method} ${pathname}`));
    if (due) due.left--;
    const headers: Record<string, string> = {
      'request-id': newStripeId('req'),
      'stripe-version': String(request.headers['stripe-version'] ?? ''),
      'content-type': 'application/json',
    };
    const send = ({ status, body }: Answer) => void response.writeHead(status, headers).end(JSON.stringify(body));
    const failure = (status: number, error: StripeErrorBody) => send({ status, body: { error } });
    if (due?.fault === 'neverArrives') return;
    if (due?.fault === 'fails') return failure(500, { type: 'api_error', message: 'An unknown error occurred' });
    if (due?.fault === 'tooMany')
      return failure(429, { type: 'rate_limit_error', code: 'rate_limit', message: 'Request rate limit exceeded.' });
    const key = method === 'POST' ? request.headers['idempotency-key'] : undefined;
    const place = `${request.headers.authorization} ${request.headers['stripe-account'] ?? ''} ${String(key)}`;
    const requested = `${method} ${pathname} ${text}`;
    let answer: Answer;
    try {
      const ledger = authenticated(request);
      const stored = key === undefined ? undefined : idempotency.get(place);
      if (stored?.answer === null)
        throw new StripeFault(
          409,
          {
            type: 'idempotency_error',
            code: 'idempotency_key_in_use',
            message:
              'There is currently another in-progress request using this Idempotent Key (that probably means you ' +
              `submitted twice, and the other request is still going through): ${String(key)}.`,
          },
          true,
        );
      if (stored && stored.request !== requested)
        throw new StripeFault(
          400,
          {
            type: 'idempotency_error',
            message:
              'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
              `Try using a key other than '${String(key)}' if you meant to execute a different request.`,
          },
          true,
        );
      if (stored?.answer) {
        headers['idempotent-replayed'] = 'true';
        answer = stored.answer;
      } else {
        if (key !== undefined) idempotency.set(place, { request: requested, answer: null });
        answer = done(
          () => work(ledger, method, pathname, form),
          () => idempotency.delete(place),
        );
        if (due?.fault === 'failsAfterwards')
          answer = { status: 500, body: { error: { type: 'api_error', message: 'An unknown error occurred' } } };
        if (method === 'POST') await standIn.beforeAnswer?.();
        if (key !== undefined && idempotency.has(place)) idempotency.set(place, { request: requested, answer });
      }
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error;
      answer = { status: error.status, body: { error: error.body } };
    }
    if (key !== undefined) headers['idempotency-key'] = String(key);
    if (due?.fault === 'answerIsLost') return;
    if (due?.fault === 'lineBreaks') return void response.socket?.destroy();
    if (typeof due?.fault === 'function') return due.fault(answer, response);
    send(answer);
  }

  function authenticate(response: ServerResponse, intentId: string, text: string): void {
    const found = allIntents().find(({ intent }) => intent.id === intentId);
    if (!found) return void response.writeHead(404).end();
    const returnUrl = found.intent.next_action?.redirect_to_url.return_url;
    if (text === '')
      return void response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          '<form method="post"><button name="authentication" value="succeeded">Complete</button><button ' +
            'name="authentication" value="failed">Fail</button></form>',
        );
    const authentication = new URLSearchParams(text).get('authentication') === 'succeeded' ? 'succeeded' : 'failed';
    answerChallenge(found.ledger, found.intent, authentication);
    if (!returnUrl) return void response.writeHead(200).end();
    const back = new URL(returnUrl);
    for (const [name, value] of [
      ['payment_intent', intentId],
      ['payment_intent_client_secret', found.intent.client_secret],
      ['redirect_status', authentication],
    ] as const)
      back.searchParams.set(name, value);
    response.writeHead(303, { location: back.href }).end();
  }

  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on(
      'end',
      () => void handle(request, response, text).catch((error: unknown) => response.writeHead(500).end(String(error))),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP

  const standIn: StripeStandIn = {
    url,
    ledger: ledgerOf,
    seen,
    fault: (fault, path, times = 1) => void faults.push({ fault, path, left: times }),
    index: () => allIntents().forEach(({ intent }) => indexed.add(intent.id)),
    answer: (address, authentication) =>
      fetch(address, { method: 'POST', body: new URLSearchParams({ authentication }), redirect: 'manual' }),
    beforeAnswer: null,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return standIn;
}

/** A page of a list, newest first, as of the time of the request. */
function page(items: readonly { id: string }[], form: Form, listUrl: string): object {
  const newest = items.toReversed();
  const after = textOf(form, 'starting_after');
  const from = after === undefined ? 0 : newest.findIndex(({ id }) => id === after) + 1;
  const limit = Number(textOf(form, 'limit') ?? 10);
  return {
    object: 'list',
    url: listUrl,
    data: newest.slice(from, from + limit),
    has_more: newest.length > from + limit,
  };
}

/**
 * Returns the answer of a request, including its own errors. An error before execution is not stored under the key.
 */
function done(work: () => object, forget: () => void): Answer {
  try {
    return { status: 200, body: structuredClone(work()) };
  } catch (error) {
    if (!(error instanceof StripeFault)) throw error;
    if (error.beforeWork) forget();
    return { status: error.status, body: { error: error.body } };
  }
}
