/** A card in the form that a processor needs. It exists during one call and is never stored, logged or returned. */
export interface ClearCard {
  readonly cardNumber: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** Null if it was not given, was purged or has expired. */
  readonly cvc: string | null;
}

/**
 * Creates a clear card. The number and the cvc are not enumerable, so that a log line, `inspect`, `JSON.stringify`, a
 * spread or a snapshot of a surrounding object cannot contain them by accident. They must be read by name.
 */
export function clearCard(card: ClearCard): ClearCard {
  const hidden = { enumerable: false, writable: false };
  const clear = { expMonth: card.expMonth, expYear: card.expYear };
  return Object.freeze(
    Object.defineProperties(clear, {
      cardNumber: { value: card.cardNumber, ...hidden },
      cvc: { value: card.cvc, ...hidden },
    }) as ClearCard, // the compiler does not know the properties that defineProperties adds
  );
}
