import { type ClientSession, type Payment, type PlatformClient, Refused } from './platform-client.ts';

/** What the page is told. The outcome is always the platform's word, never that of the page. */
export type Told =
  | ({ status: 'new' } & Partial<ClientSession>)
  | ({ status: 'requires_action'; requireAction: Payment['requireActionData'] } & Partial<ClientSession>)
  | { status: 'declined'; message: string; clientSecret: string }
  | { status: 'succeeded' | 'pending' };

const price = { amount: 4900, currency: 'USD' };

/** One purchase of a visitor. The order of the platform is paid once, whatever two tabs of the visitor do. */
export class Purchase {
  readonly #call: PlatformClient;
  readonly #origin: string;
  readonly #orderKey: string;
  #session: ClientSession | null = null;
  #order: Promise<{ id: string }> | null = null;
  #paymentId: string | null = null;

  constructor(id: string, call: PlatformClient, origin: string) {
    this.#orderKey = `order-${id}`;
    this.#call = call;
    this.#origin = origin;
  }

  async state(): Promise<Told> {
    if (this.#paymentId !== null) {
      const { payment } = await this.#call<{ payment: Payment }>(`/payments/${this.#paymentId}`);
      const told = await this.#outcome(payment);
      if (told.status === 'requires_action') return { ...told, ...(await this.#newSession()) };
      if (told.status !== 'declined') return told;
    }
    return { status: 'new', ...(await this.#newSession()) };
  }

  /** The same token twice, from a second click or after a lost answer, is one charge: its key is the token. */
  async pay(token: string): Promise<Told> {
    // After a lost answer, or a challenge that was closed.
    if (this.#paymentId !== null) return this.continue();
    const orderId = await this.#orderId();
    const { paymentInstrument } = await this.#call<{ paymentInstrument: { id: string } }>(
      '/payment-instruments/create-from-token',
      { token, customerData: { email: 'ada@example.com' } },
      `instrument-${token}`,
    );
    const charge = {
      ...price,
      paymentInstrumentId: paymentInstrument.id,
      orderId,
      returnUrl: this.#session?.returnUrl,
    };
    try {
      const { payment } = await this.#call<{ payment: Payment }>('/payments/process', charge, `charge-${token}`);
      return await this.#outcome(payment);
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 409) throw error;
      // Another tab has paid the order, or is paying it.
      const { status } = await this.#call<{ status: string }>(`/orders/${orderId}`);
      return { status: status === 'paid' ? 'succeeded' : 'pending' };
    }
  }

  async continue(): Promise<Told> {
    const { payment } = await this.#call<{ payment: Payment }>('/payments/continue', { paymentId: this.#paymentId });
    return this.#outcome(payment);
  }

  async #orderId(): Promise<string> {
    const items = [{ name: 'Bread course', quantity: 1, unitAmount: price.amount }];
    this.#order ??= this.#call<{ id: string }>('/orders/create', { currency: price.currency, items }, this.#orderKey);
    try {
      return (await this.#order).id;
    } catch (error) {
      this.#order = null;
      throw error;
    }
  }

  async #outcome({ id, status, requireAction, requireActionData }: Payment): Promise<Told> {
    this.#paymentId = id;
    if (requireAction) return { status: 'requires_action', requireAction: requireActionData };
    if (status === 'succeeded' || status === 'pending') return { status };
    this.#paymentId = null;
    const { clientSecret } = await this.#newSession();
    return { status: 'declined', message: 'The card was declined. Try another card.', clientSecret };
  }

  /** A session takes one card, so each load of the page and each other card has another. */
  async #newSession(): Promise<ClientSession> {
    this.#session = await this.#call<ClientSession>('/payment-instruments/client-sessions', {
      ...price,
      origins: [this.#origin],
    });
    return this.#session;
  }
}
