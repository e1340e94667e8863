/**
 * The platform stores amounts as integers in the minor unit of ISO 4217. Stripe differs for three currencies: ISK and
 * UGX have no minor unit, but Stripe requires two decimal digits that are zero; MGA has two digits, but Stripe accepts
 * none.
 */
const extraDigits: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: -2 };

/** Converts an amount to Stripe's unit. Null if Stripe cannot represent it. */
export function toStripe(amount: number, currency: string): number | null {
  const factor = 10 ** (extraDigits[currency] ?? 0);
  const converted = factor < 1 ? amount / Math.round(1 / factor) : amount * factor;
  return Number.isSafeInteger(converted) ? converted : null;
}

/** Converts an amount of Stripe to the minor unit of ISO 4217. */
export function fromStripe(amount: number, currency: string): number {
  const factor = 10 ** -(extraDigits[currency.toUpperCase()] ?? 0);
  return factor < 1 ? Math.round(amount / Math.round(1 / factor)) : amount * factor;
}
