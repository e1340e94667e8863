/**
 * Valid card numbers of 16 digits that share their first 8 and last 4: every tenth of the middles has the check digit.
 */
export function siblingNumbers(count: number, { first8 = '46012345', last4 = '7890' } = {}): string[] {
  const found: string[] = [];
  for (let middle = 0; middle < 10_000 && found.length < count; middle++) {
    const number = `${first8}${String(middle).padStart(4, '0')}${last4}`;
    if (hasCheckDigit(number)) found.push(number);
  }
  return found;
}

function hasCheckDigit(number: string): boolean {
  const sum = [...number].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
