import { apiAddress, type Query, shownPath } from './address.ts';
import { bind } from './bind.ts';
import { ApiCall } from './call.ts';
import { ConfigurationError, WrongModeError } from './errors.ts';
import { checkMode, type Mode, readKey } from './mode.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { resources } from './resources.ts';
import type { Methods } from './surface.ts';
import { Transport } from './transport.ts';
import { type WaitOptions, waitForOutcome } from './wait.ts';
import { sign, unwrap, type WebhookEvent, type WebhookHeaders } from './webhooks.ts';

type Resources = typeof resources;
type PaymentMethods = Methods<Resources['payments']>;

export interface PlatformOptions extends ClientOptions {
  /** A partner key or a sub-key. Its prefix names its mode. */
  apiKey: string;
}

/** The options of a call to any path. */
export interface RequestOptions extends CallOptions {
  body?: unknown;
  query?: Query;
  /** Sends an `Idempotency-Key`. By default true for every method but GET. */
  isWrite?: boolean;
}

/** A client with one key. Its mode is the key's: nothing of the other mode can be reached with it, or given to it. */
export class Platform {
  readonly mode: Mode;
  /** `partner` sees all accounts of the partner, `sub` one. */
  readonly keyKind: 'partner' | 'sub';
  readonly auth: Methods<Resources['auth']>;
  readonly accounts: Methods<Resources['accounts']>;
  readonly apiKeys: Methods<Resources['apiKeys']>;
  readonly kyb: Methods<Resources['kyb']>;
  readonly stores: Methods<Resources['stores']>;
  readonly customers: Methods<Resources['customers']>;
  readonly paymentInstruments: Methods<Resources['paymentInstruments']>;
  readonly payments: PaymentMethods & {
    /** Reads the payment until the platform knows what became of it: until `subStatus` is not `processing`. */
    wait(id: string, options?: WaitOptions): ReturnType<typeof waitForOutcome>;
  };
  readonly orders: Methods<Resources['orders']>;
  readonly products: Methods<Resources['products']>;
  readonly subscriptions: Methods<Resources['subscriptions']>;
  readonly blockRules: Methods<Resources['blockRules']>;
  readonly processors: Methods<Resources['processors']>;
  readonly paymentFlows: Methods<Resources['paymentFlows']>;
  readonly disputes: Methods<Resources['disputes']>;
  readonly events: Methods<Resources['events']>;
  readonly webhooks: Methods<Resources['webhooks']> & {
    /** As `webhooks.unwrap` of the package. An event of the other mode is refused. */
    unwrap: typeof unwrap;
    sign: typeof sign;
  };
  readonly funnels: Methods<Resources['funnels']>;
  readonly funnelSessions: Methods<Resources['funnelSessions']>;
  readonly plugins: Methods<Resources['plugins']>;
  readonly #transport: Transport;

  constructor({ apiKey, ...options }: PlatformOptions) {
    const key = readKey(apiKey);
    const transport = new Transport(apiAddress(options.baseUrl), key, options);
    this.#transport = transport;
    this.mode = key.mode;
    this.keyKind = key.kind;
    this.auth = bind(resources.auth, transport);
    this.accounts = bind(resources.accounts, transport);
    this.apiKeys = bind(resources.apiKeys, transport);
    this.kyb = bind(resources.kyb, transport);
    this.stores = bind(resources.stores, transport);
    this.customers = bind(resources.customers, transport);
    this.paymentInstruments = bind(resources.paymentInstruments, transport);
    const payments = bind(resources.payments, transport);
    this.payments = { ...payments, wait: (id, waiting) => waitForOutcome(payments, id, waiting) };
    this.orders = bind(resources.orders, transport);
    this.products = bind(resources.products, transport);
    this.subscriptions = bind(resources.subscriptions, transport);
    this.blockRules = bind(resources.blockRules, transport);
    this.processors = bind(resources.processors, transport);
    this.paymentFlows = bind(resources.paymentFlows, transport);
    this.disputes = bind(resources.disputes, transport);
    this.events = bind(resources.events, transport);
    this.webhooks = { ...bind(resources.webhooks, transport), unwrap: unwrapOf(key.mode), sign };
    this.funnels = bind(resources.funnels, transport);
    this.funnelSessions = bind(resources.funnelSessions, transport);
    this.plugins = bind(resources.plugins, transport);
    // What exists in test mode only is on the type `TestPlatform`.
    if (key.mode === 'test')
      Object.assign(this, {
        testClocks: bind(resources.testClocks, transport),
        testDisputes: bind(resources.testDisputes, transport),
      });
  }

  /** A client of test mode. A live key throws. */
  static test(apiKey: string, options: ClientOptions): TestPlatform {
    const platform = new Platform({ ...options, apiKey });
    if (platform.isTest()) return platform;
    throw new WrongModeError(
      'Platform.test was given a live key. Pass a key that begins with tp_sk_test_ or tp_sk_partner_test_.',
    );
  }

  /** A client of live mode. A test key throws. */
  static live(apiKey: string, options: ClientOptions): LivePlatform {
    const platform = new Platform({ ...options, apiKey });
    if (platform.isLive()) return platform;
    throw new WrongModeError(
      'Platform.live was given a test key. Pass a key that begins with tp_sk_live_ or tp_sk_partner_live_.',
    );
  }

  isTest(): this is TestPlatform {
    return this.mode === 'test';
  }

  isLive(): this is LivePlatform {
    return this.mode === 'live';
  }

  /** A client with another key of the same mode, such as the sub-key that `apiKeys.create` answered. */
  as(key: string | { readonly secret: string | null }): this {
    const apiKey = typeof key === 'string' ? key : key.secret;
    if (apiKey === null)
      throw new ConfigurationError(
        'The answer has no secret: it is the stored answer of an earlier call, and a secret is answered once. ' +
          'Revoke the key, and create another.',
      );
    const { mode } = readKey(apiKey);
    checkMode({ secret: apiKey }, this.mode, `The key (${mode})`);
    return new Platform({ ...this.#transport.options, apiKey }) as this; // of the same mode
  }

  /** Calls any path of the API, for what this version has no method for. */
  request<T = unknown>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    options: RequestOptions = {},
  ): ApiCall<T> {
    const { body, query, isWrite = method !== 'GET', ...rest } = options;
    const request = { method, path, shown: shownPath(path), isWrite, body, ...(query && { query }) };
    return new ApiCall<T>(this.#transport.send(request, rest));
  }
}

/** A client of test mode. */
export interface TestPlatform extends Platform {
  readonly mode: 'test';
  readonly testClocks: Methods<Resources['testClocks']>;
  readonly testDisputes: Methods<Resources['testDisputes']>;
}

/** A client of live mode. */
export interface LivePlatform extends Platform {
  readonly mode: 'live';
}

function unwrapOf(mode: Mode): typeof unwrap {
  return (raw, headers: WebhookHeaders, secrets): WebhookEvent => {
    const event = unwrap(raw, headers, secrets);
    checkMode(event, mode, 'The event');
    return event;
  };
}
