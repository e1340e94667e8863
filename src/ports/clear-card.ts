/** A card as a processor needs it. It lives for the length of one call and is never stored, logged or returned. */
export interface ClearCard {
  readonly cardNumber: string;
  readonly expMonth: number;
  readonly expYear: number;
  /** Null when it was never given, was erased, or its time is over. */
  readonly cvc: string | null;
}

/**
 * The only way a clear card is made here. Number and cvc are not enumerable, so that no log line, `inspect`, `JSON.stringify`,
 * spread or snapshot of a surrounding object can carry them away by accident; whoever needs them must name them.
 */
export function clearCard(card: ClearCard): ClearCard {
  const hidden = { enumerable: false, writable: false };
  const clear = { expMonth: card.expMonth, expYear: card.expYear };
  return Object.freeze(
    Object.defineProperties(clear, {
      cardNumber: { value: card.cardNumber, ...hidden },
      cvc: { value: card.cvc, ...hidden },
    }) as ClearCard, // The compiler does not see what defineProperties adds.
  );
}
