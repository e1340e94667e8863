import { createHash } from 'node:crypto';

/**
 * The variant of a step, by a hash of who asks and where: the same visitor sees the same one always, and each variant gets its share.
 * Null where a step has none.
 */
export function variantFor(
  visitor: string,
  stepId: string,
  variants: readonly { id: string; percentage: number }[],
): string | null {
  const point = pointOf(`${visitor}/${stepId}`);
  let end = 0;
  for (const { id, percentage } of variants) {
    end += percentage / 100;
    if (point < end) return id;
  }
  // Shares are kept in hundredths, and sums of them may fall short of 1 by a rounding.
  return variants.findLast(({ percentage }) => percentage > 0)?.id ?? null;
}

/** A number from 0 to 1, each equally likely over many texts. */
function pointOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
