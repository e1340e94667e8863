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

interface Charge {
  amount: number;
  ok: boolean;
  /** What of it can still be refunded or disputed. */
  left: number;
  /** What of it was refunded, or lost in a dispute. */
  returned: number;
}

interface Span {
  from: number;
  to: number;
  paid: number;
  anchor: number;
  /** Null if a credit has paid for it. */
  charge: Charge | null;
  /** What of its charge was returned at the last change. */
  counted: number;
}

/** A charge that succeeded, by its number among those, and an amount of it. */
interface Part {
  nth: number;
  amount: number;
}

const day = 86_400_000;

export class Model {
  status: string;
  balance = 0;
  /** Every charge requested, in order. */
  readonly charges: Charge[] = [];
  /** The total owed: the periods that were opened and kept, plus the prorations of changes. */
  owed = 0;
  private readonly terms: ModelTerms;
  private readonly began: number;
  private now: number;
  private card: Card;
  private quantity = 1;
  private price: number;
  private anchor: number;
  private step = 0;
  private end: number;
  private spans: Span[] = [];
  private endsWithPeriod = false;
  private open: { amount: number; from: number; to: number; plan: number } | null = null;
  private failedAt = 0;
  private retryAt = Infinity;
  private resumeAt = Infinity;

  constructor(terms: ModelTerms, now: number, trialDays: number, card: Card) {
    this.terms = terms;
    this.price = terms.price;
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
    const plan = this.price;
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
    const charge = { amount: open.amount, ok, left: ok ? open.amount : 0, returned: 0 };
    if (open.amount > 0) this.charges.push(charge);
    if (ok) {
      this.spans.push({
        from: open.from,
        to: open.to,
        paid: open.plan,
        anchor: this.anchor,
        charge: open.amount > 0 ? charge : null,
        counted: 0,
      });
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
      const resumes = this.status === 'paused' ? this.resumeAt : Infinity;
      const at = Math.max(this.now, Math.min(expires, ends, renews, retries, resumes));
      if (at > to || !Number.isFinite(at)) break;
      this.now = at;
      if (expires <= at || ends <= at) this.status = 'canceled';
      else if (retries <= at) this.attempt();
      else if (resumes <= at) this.endPause();
      else {
        if (this.status === 'trialing') this.begin(this.end, 0);
        else this.begin(this.anchor, this.step + 1);
        this.attempt();
      }
    }
    this.now = to;
  }

  pause(until = Infinity): boolean {
    if (this.status !== 'active') return false;
    this.status = 'paused';
    this.resumeAt = until;
    return true;
  }

  /** Ends a pause, by a call or by itself. */
  private endPause(): void {
    this.status = 'active';
    this.resumeAt = Infinity;
    if (this.end > this.now) return;
    this.begin(this.now, 0);
    this.attempt();
  }

  resume(): boolean {
    if (this.status === 'paused') {
      this.endsWithPeriod = false;
      this.endPause();
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
    const old = this.price;
    this.price = this.terms.price * quantity;
    if (this.status === 'past_due') this.repriceOpen(old, prorate);
    else if (prorate) this.repricePaid();
    return true;
  }

  /** The share of an amount for what is left of a span. */
  private rest(amount: number, span: { from: number; to: number }): number {
    return this.priced(0, amount, span);
  }

  /** A span that costs `before` until now and `after` for what is left, in whole units. */
  private priced(before: number, after: number, { from, to }: { from: number; to: number }): number {
    const left = Math.max(0, to - Math.max(this.now, from));
    return Math.floor((2 * (before * (to - from - left) + after * left) + (to - from)) / (2 * (to - from)));
  }

  private owe(difference: number): void {
    this.balance += difference;
    this.owed += difference;
  }

  private repricePaid(): void {
    for (const span of this.spans.filter(({ to, anchor }) => to > this.now && anchor === this.anchor)) {
      const returned = span.charge?.returned ?? 0;
      const credit = Math.max(0, this.rest(span.paid, span) - (returned - span.counted));
      this.owe(this.rest(this.price, span) - credit);
      span.paid = this.price;
      span.counted = returned;
    }
  }

  /** Gives the open period the new price from now on, and those that have begun since. */
  private repriceOpen(old: number, prorate: boolean): void {
    const open = this.open;
    if (!open) throw new Error('There is nothing to charge.');
    for (let step = this.step + 1; this.boundary(step) <= this.now; step++) {
      const span = { from: this.boundary(step), to: this.boundary(step + 1) };
      const cost = prorate ? this.priced(old, this.price, span) : old;
      this.owe(cost - this.price);
    }
    if (!prorate) return;
    const difference = this.priced(open.plan, this.price, open) - open.plan;
    const amount = Math.max(0, open.amount + difference);
    this.owed += difference;
    this.balance += open.amount + difference - amount;
    this.open = { ...open, amount, plan: this.price };
    if (amount === 0) this.attempt();
  }

  /** Refunds a part of the latest charge that succeeded; null if nothing is left of it. */
  refund(parts: number): Part | null {
    const latest = this.latest();
    if (!latest) return null;
    const amount = Math.ceil(latest.charge.left / parts);
    latest.charge.left -= amount;
    latest.charge.returned += amount;
    return { nth: latest.nth, amount };
  }

  /** Disputes what is left of the latest charge that succeeded. */
  dispute(outcome: 'open' | 'won' | 'lost'): Part | null {
    const latest = this.latest();
    if (!latest) return null;
    const amount = latest.charge.left;
    if (outcome !== 'won') latest.charge.left = 0;
    if (outcome === 'lost') latest.charge.returned += amount;
    return { nth: latest.nth, amount };
  }

  private latest(): { charge: Charge; nth: number } | null {
    const succeeded = this.charges.filter(({ ok }) => ok);
    const charge = succeeded.at(-1);
    return charge && charge.left > 0 ? { charge, nth: succeeded.length - 1 } : null;
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
      this.charges.push({ amount: this.open?.amount ?? 0, ok: false, left: 0, returned: 0 });
      Object.assign(this, before, { open: null });
    }
    return true;
  }

  /** The end of the current period. */
  get endsAt(): number {
    return this.end;
  }

  /** The amount charged, and the amount still unpaid. */
  get taken(): number {
    return this.charges.reduce((sum, { amount, ok }) => sum + (ok ? amount : 0), 0);
  }

  get unpaid(): number {
    return this.open?.amount ?? 0;
  }
}
