import { Text } from '@mantine/core';
import { moneyText } from './format.ts';

/** Every amount of the console. `amount` is in minor units. */
export function Money({ amount, currency }: { amount: number | string; currency: string }) {
  return (
    <Text component="span" inherit className="figures">
      {moneyText(amount, currency)}
    </Text>
  );
}
