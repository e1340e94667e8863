import { ConflictError, type Platform, type Schema } from '@partner-payments/sdk';

type Payment = Schema<'Payment'>;
type ClientSession = Schema<'CreatedClientSession'>;

/** What the page shows. The outcome is always the platform's word, never that of the page. */
export type State =
  | ({ status: 'new' } & Partial<ClientSession>)
  | ({ status: 'requires_action'; requireAction: Payment['requireActionData'] } & Partial<ClientSession>)
  | { status: 'declined'; message: string; clientSecret: string | null }
  | { status: 'succeeded' | 'pending' };

const price = { amount: 4900, currency: 'USD' };

/** One purchase of a visitor. The order of the platform is paid once, whatever two tabs of the visitor do. */
export class Purchase {
  readonly #shop: Platform;
  readonly #origin: string;
  readonly #orderKey: string;
  #session: ClientSession | null = null;
  #order: Promise<{ id: string }> | null = null;
  #paymentId: string | null = null;

  constructor(id: string, shop: Platform, origin: string) {
    this.#orderKey = `order-${id}`;
    this.#shop = shop;
    this.#origin = origin;
  }

  async state(): Promise<State> {
    if (this.#paymentId !== null) {
      const { payment } = await this.#shop.payments.get(this.#paymentId);
      const state = await this.#outcome(payment);
      if (state.status === 'requires_action') return { ...state, ...(await this.#newSession()) };
      if (state.status !== 'declined') return state;
    }
    return { status: 'new', ...(await this.#newSession()) };
  }

  /** The same token twice, from a second click or after a lost answer, is one charge: its key is the token. */
  async pay(token: string): Promise<State> {
    // After a lost answer, or a challenge that was closed.
    if (this.#paymentId !== null) return this.continue();
    const orderId = await this.#orderId();
    const { paymentInstrument } = await this.#shop.paymentInstruments.createFromToken(
      { token, customerData: { email: 'ada@example.com' } },
      { idempotencyKey: `instrument-${token}` },
    );
    const returnUrl = this.#session?.returnUrl;
    const charge = { ...price, paymentInstrumentId: paymentInstrument, orderId, ...(returnUrl && { returnUrl }) };
    try {
      const { payment } = await this.#shop.payments.process(charge, { idempotencyKey: `charge-${token}` });
      return await this.#outcome(payment);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      // Another tab has paid the order, or is paying it.
      const { status } = await this.#shop.orders.get(orderId);
      return { status: status === 'paid' ? 'succeeded' : 'pending' };
    }
  }

  async continue(): Promise<State> {
    const { payment } = await this.#shop.payments.continue({ paymentId: this.#paymentId ?? '' });
    return this.#outcome(payment);
  }

  async #orderId(): Promise<string> {
    const items = [{ name: 'Bread course', quantity: 1, unitAmount: price.amount }];
    const order = { currency: price.currency, items };
    this.#order ??= this.#shop.orders.create(order, { idempotencyKey: this.#orderKey });
    try {
      return (await this.#order).id;
    } catch (error) {
      this.#order = null;
      throw error;
    }
  }

  async #outcome({ id, status, requireAction, requireActionData }: Payment): Promise<State> {
    this.#paymentId = id;
    if (requireAction) return { status: 'requires_action', requireAction: requireActionData };
    if (status === 'succeeded' || status === 'pending') return { status };
    this.#paymentId = null;
    const { clientSecret } = await this.#newSession();
    return { status: 'declined', message: 'The card was declined. Try another card.', clientSecret };
  }

  /** A session takes one card, so each load of the page and each other card has another. */
  async #newSession(): Promise<ClientSession> {
    this.#session = await this.#shop.paymentInstruments.clientSessions.create({ ...price, origins: [this.#origin] });
    return this.#session;
  }
}
