/**
 * Amounts are integers in the currency's minor unit, by ISO 4217 with us. Stripe differs in three: Iceland's and Uganda's
 * currencies have no minor unit, and it writes them with two digits that must be zero; Madagascar's has two, and it takes none.
 */
const digitsMore: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: -2 };

/** Our amount as Stripe writes it; null when it cannot be written there. */
export function toStripe(amount: number, currency: string): number | null {
  const factor = 10 ** (digitsMore[currency] ?? 0);
  const theirs = factor < 1 ? amount / Math.round(1 / factor) : amount * factor;
  return Number.isSafeInteger(theirs) ? theirs : null;
}

/** Stripe's amount as we write it. Both currencies in lower case there, in upper case here. */
export function fromStripe(amount: number, currency: string): number {
  const factor = 10 ** -(digitsMore[currency.toUpperCase()] ?? 0);
  return factor < 1 ? Math.round(amount / Math.round(1 / factor)) : amount * factor;
}
