/**
 * An independent model of a subscription's charges: plain numbers, without a database and without code of the platform.
 * The property test compares the platform with it.
 */
export type Card = 'good' | 'soft' | 'expired' | 'hard';

export interface ModelTerms {
  unit: 'day' | 'month' | 'year';
  count: number;
  price: number;
}

interface Span {
  from: number;
  to: number;
  paid: number;
  anchor: number;
}

const day = 86_400_000;

export class Model {
  status: string;
  balance = 0;
  /** Every charge requested, in order. */
  readonly charges: { amount: number; ok: boolean }[] = [];
  /** The total owed: the periods that were opened and kept, plus the prorations of changes. */
  owed = 0;
  private readonly terms: ModelTerms;
  private readonly began: number;
  private now: number;
  private card: Card;
  private quantity = 1;
  private anchor: number;
  private step = 0;
  private end: number;
  private spans: Span[] = [];
  private endsWithPeriod = false;
  private open: { amount: number; from: number; to: number; plan: number } | null = null;
  private failedAt = 0;
  private retryAt = Infinity;

  constructor(terms: ModelTerms, now: number, trialDays: number, card: Card) {
    this.terms = terms;
    this.began = now;
    this.now = now;
    this.card = card;
    this.anchor = now + trialDays * day;
    this.end = this.anchor;
    this.status = trialDays > 0 ? 'trialing' : 'incomplete';
    if (trialDays > 0) return;
    this.begin(now, 0);
    this.end = this.boundary(1);
    this.attempt();
  }

  /** Periods are counted in calendar months from the anchor. */
  private boundary(steps: number): number {
    const { unit, count } = this.terms;
    if (unit === 'day') return this.anchor + steps * count * day;
    const at = new Date(this.anchor);
    const months = at.getUTCFullYear() * 12 + at.getUTCMonth() + steps * count * (unit === 'year' ? 12 : 1);
    const lastDay = new Date(Date.UTC(Math.floor(months / 12), (months % 12) + 1, 0)).getUTCDate();
    return Date.UTC(Math.floor(months / 12), months % 12, Math.min(at.getUTCDate(), lastDay)) + (this.anchor % day);
  }

  private begin(anchor: number, step: number): void {
    this.anchor = anchor;
    const from = this.boundary(step);
    const plan = this.terms.price * this.quantity;
    const amount = Math.max(0, plan + this.balance);
    this.owed += plan;
    this.balance = plan + this.balance - amount;
    this.open = { amount, from, to: this.boundary(step + 1), plan };
    this.step = step;
  }

  private attempt(): void {
    const open = this.open;
    if (!open) throw new Error('There is nothing to charge.');
    const ok = open.amount === 0 || this.card === 'good';
    if (open.amount > 0) this.charges.push({ amount: open.amount, ok });
    if (ok) {
      this.spans.push({ from: open.from, to: open.to, paid: open.plan, anchor: this.anchor });
      this.open = null;
      this.status = 'active';
      this.end = open.to;
      this.retryAt = Infinity;
      this.failedAt = 0;
    } else if (this.status !== 'incomplete') {
      if (this.failedAt === 0) this.failedAt = this.now;
      this.end = open.to;
      const next = [1, 3, 5, 7].map((after) => this.failedAt + after * day).find((time) => time > this.now);
      if (this.card === 'hard' || next === undefined) this.status = 'canceled';
      else {
        this.status = 'past_due';
        this.retryAt = next;
      }
    }
  }

  pass(to: number): void {
    for (;;) {
      const expires = this.status === 'incomplete' ? this.began + 23 * 3_600_000 : Infinity;
      const ends = this.endsWithPeriod && this.status !== 'canceled' ? this.end : Infinity;
      const renews = this.status === 'active' || this.status === 'trialing' ? this.end : Infinity;
      const retries = this.status === 'past_due' ? this.retryAt : Infinity;
      const at = Math.max(this.now, Math.min(expires, ends, renews, retries));
      if (at > to || !Number.isFinite(at)) break;
      this.now = at;
      if (expires <= at || ends <= at) this.status = 'canceled';
      else if (retries <= at) this.attempt();
      else {
        if (this.status === 'trialing') this.begin(this.end, 0);
        else this.begin(this.anchor, this.step + 1);
        this.attempt();
      }
    }
    this.now = to;
  }

  pause(): boolean {
    if (this.status !== 'active') return false;
    this.status = 'paused';
    return true;
  }

  resume(): boolean {
    if (this.status === 'paused') {
      this.status = 'active';
      this.endsWithPeriod = false;
      if (this.end <= this.now) {
        this.begin(this.now, 0);
        this.attempt();
      }
      return true;
    }
    if (this.status === 'canceled' || !this.endsWithPeriod) return false;
    this.endsWithPeriod = false;
    return true;
  }

  cancel(atPeriodEnd: boolean): boolean {
    if (this.status === 'canceled' || (atPeriodEnd && this.status === 'incomplete')) return false;
    if (atPeriodEnd) this.endsWithPeriod = true;
    else this.status = 'canceled';
    return true;
  }

  useCard(card: Card): boolean {
    if (this.status === 'canceled') return false;
    this.card = card;
    return true;
  }

  take(quantity: number, prorate: boolean): boolean {
    if (this.status === 'canceled') return false;
    if (quantity === this.quantity) return true;
    if (this.status === 'incomplete') return false;
    this.quantity = quantity;
    if (!prorate) return true;
    for (const span of this.spans.filter(({ to, anchor }) => to > this.now && anchor === this.anchor)) {
      const share = (amount: number) =>
        Math.floor(
          (2 * amount * (span.to - Math.max(this.now, span.from)) + (span.to - span.from)) /
            (2 * (span.to - span.from)),
        );
      const difference = share(this.terms.price * quantity) - share(span.paid);
      span.paid = this.terms.price * quantity;
      this.balance += difference;
      this.owed += difference;
    }
    return true;
  }

  rebill(): boolean {
    if (this.status === 'paused' || this.status === 'canceled' || this.endsWithPeriod) return false;
    if (this.status === 'incomplete' || this.status === 'past_due') {
      this.attempt();
      return true;
    }
    if (this.status === 'trialing') {
      this.begin(this.now, 0);
      this.attempt();
      return true;
    }
    if (this.spans.some(({ from }) => from > this.now)) return false;
    const before = { balance: this.balance, owed: this.owed, step: this.step };
    this.begin(this.anchor, this.step + 1);
    if (this.open && (this.open.amount === 0 || this.card === 'good')) this.attempt();
    else {
      // An early charge was declined: the subscription is as if it had not been requested.
      this.charges.push({ amount: this.open?.amount ?? 0, ok: false });
      Object.assign(this, before, { open: null });
    }
    return true;
  }

  /** The amount charged, and the amount still unpaid. */
  get taken(): number {
    return this.charges.reduce((sum, { amount, ok }) => sum + (ok ? amount : 0), 0);
  }

  get unpaid(): number {
    return this.open?.amount ?? 0;
  }
}
