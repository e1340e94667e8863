import { Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { localTime, minorUnits, moneyText } from '../ui/format.ts';
import { useMode } from '../ui/mode.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';

const document = graphql(`
  query RefundLimits($mode: Mode!) {
    refundLimits(mode: $mode) { partnerSlug currency amount nextAmount effectiveAt }
  }
`);
const setLimit = graphql(`
  mutation SetRefundLimit($mode: Mode!, $currency: Currency!, $partnerSlug: Slug, $amount: Amount, $reason: Name!) {
    setRefundLimit(mode: $mode, currency: $currency, partnerSlug: $partnerSlug, amount: $amount, reason: $reason) {
      currency
    }
  }
`);

/** From which amounts a second approver is needed, and for superadmins the button that changes it. */
export function RefundLimits() {
  const mode = useMode();
  const { data } = useQuery({
    queryKey: ['refundLimits', mode],
    queryFn: ({ signal }) => ask(document, { mode }, { signal }),
  });
  const [currency, setCurrency] = useState('USD');
  const [amount, setAmount] = useState('');
  const [partner, setPartner] = useState('');
  const refused = refusalReason(usePerson(), 'superadmin');
  // Until they are known nothing is said of them, and none is set.
  if (!data) return null;
  const texts = (data.refundLimits ?? []).flatMap(limitText);
  return (
    <Group gap="sm">
      <Text size="sm">{texts.length === 0 ? 'No approval required.' : `Second approver from ${texts.join(', ')}`}</Text>
      <Action
        name="Set approval threshold"
        document={setLimit}
        seen={{ Limits: texts.join(', ') }}
        refused={refused}
        consequence={
          amount.trim() === ''
            ? 'Without an amount, no refund in this currency requires approval, starting in 24 hours.'
            : 'From this amount on, including earlier refunds of the payment by people, a second approver is required. ' +
              'A lower amount applies immediately, a higher one in 24 hours.'
        }
        variables={(reason) => ({
          mode,
          currency,
          partnerSlug: partner.trim() || null,
          amount: amountOf(amount, currency),
          reason,
        })}
        onDone={() => setAmount('')}
      >
        <TextInput
          label="Partner"
          description="Slug. Leave empty for all partners without a threshold of their own."
          value={partner}
          onChange={({ currentTarget }) => setPartner(currentTarget.value)}
        />
        <TextInput
          label="Currency"
          required
          pattern="[A-Z]{3}"
          maxLength={3}
          value={currency}
          onChange={({ currentTarget }) => setCurrency(currentTarget.value.toUpperCase())}
        />
        <TextInput
          label="Amount"
          description="Leave empty to remove the threshold."
          inputMode="decimal"
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
        />
      </Action>
    </Group>
  );
}

interface Limit {
  partnerSlug: string | null;
  currency: string;
  amount: number | null;
  nextAmount: number | null;
  effectiveAt: string;
}

/** A limit and the one that follows it. Nothing for one that was taken away. */
function limitText({ partnerSlug, currency, amount, nextAmount, effectiveAt }: Limit): string[] {
  if (amount === null && nextAmount === null) return [];
  const text = (of: number | null) => (of === null ? 'none' : moneyText(of, currency));
  const next = amount === nextAmount ? '' : ` (${text(nextAmount)} from ${localTime(effectiveAt)})`;
  return [`${text(amount)}${partnerSlug === null ? '' : ` of ${partnerSlug}`}${next}`];
}

/** The amount in minor units, or null for none. What is not an amount is refused before anything is sent. */
function amountOf(text: string, currency: string): number | null {
  if (text.trim() === '') return null;
  const amount = minorUnits(text, currency);
  if (amount === undefined || amount === 0) throw new Error('Enter an amount such as 500 or 500.00.');
  return amount;
}
