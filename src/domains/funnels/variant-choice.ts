import { createHash } from 'node:crypto';

/**
 * The variant of a step, chosen by a hash of visitor and step, so that a visitor always gets the same variant and each
 * variant gets its share. Null if the step has no variants.
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
  // Because of rounding the sum of the shares may be slightly below 1.
  return variants.findLast(({ percentage }) => percentage > 0)?.id ?? null;
}

/** A number from 0 to 1, evenly distributed over many strings. */
function pointOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
