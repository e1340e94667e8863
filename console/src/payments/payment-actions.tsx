import { Checkbox, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { decimalText } from '../../../src/theme/money.ts';
import { graphql } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { humanize, minorUnits, moneyText } from '../ui/format.ts';
import { refusalReason, usePerson } from '../ui/person.tsx';

const refund = graphql(`
  mutation RefundPayment($input: RefundPaymentInput!, $refundedBefore: AmountOrZero, $reason: Name!) {
    refundPayment(input: $input, refundedBefore: $refundedBefore, reason: $reason) { __typename }
  }
`);
const capture = graphql(`
  mutation CapturePayment($input: CapturePaymentInput!, $reason: Name!) {
    capturePayment(input: $input, reason: $reason) { __typename }
  }
`);
const voidDocument = graphql(`
  mutation VoidPayment($paymentId: ID!, $reason: Name!) {
    voidPayment(paymentId: $paymentId, reason: $reason) { __typename }
  }
`);

interface ActedPayment {
  id: string;
  amount: number;
  capturedAmount: number;
  refundedAmount: number;
  currency: string;
  status: string;
  subStatus: string | null;
  subscriptionId: string | null;
  account: { legalName: string } | null;
}

/** What a dialog calls a payment. */
function nameOf({ amount, currency, account }: Pick<ActedPayment, 'amount' | 'currency' | 'account'>): string {
  return `payment of ${moneyText(amount, currency)}${account ? ` to ${account.legalName}` : ''}`;
}

interface PaymentActionsProps {
  payment: ActedPayment;
  /** The largest refund that needs no second approver; null if none needs one. */
  refundableWithoutApproval: number | null;
}

/** Refund, capture and void of one payment, each with a reason. */
export function PaymentActions({ payment, refundableWithoutApproval }: PaymentActionsProps) {
  const { id: paymentId, amount, capturedAmount, refundedAmount, currency, status, subStatus } = payment;
  const left = capturedAmount - refundedAmount;
  const refused = refusalReason(usePerson(), 'admin');
  const isHeld = status === 'pending' && subStatus === 'authorized';
  const notHeld = isHeld ? undefined : 'Requires an authorized, uncaptured payment.';
  const [typedRefund, setTypedRefund] = useState<string>();
  const [typedCapture, setTypedCapture] = useState<string>();
  const refundText = typedRefund ?? decimalText(left, currency);
  const captureText = typedCapture ?? decimalText(amount, currency);
  const [cancels, setCancels] = useState(false);
  const needsTwo =
    refundableWithoutApproval !== null && (minorUnits(refundText, currency) ?? 0) > refundableWithoutApproval;
  const seen = {
    Status: humanize(subStatus ?? status),
    Captured: moneyText(capturedAmount, currency),
    Refunded: moneyText(refundedAmount, currency),
  };
  const most = `At most ${moneyText(left, currency)} can be refunded.`;
  return (
    <Group gap="xs">
      <Action
        name="Refund"
        shortcut="r"
        of={nameOf(payment)}
        color="red"
        document={refund}
        seen={seen}
        refused={refused ?? (left > 0 ? undefined : 'No refundable balance.')}
        consequence={
          needsTwo
            ? `An amount above ${moneyText(refundableWithoutApproval, currency)} needs a second approver within 72 hours. ` +
              `Nothing is refunded until then. ${most}`
            : `Refunds the card. ${most}`
        }
        outcome={({ refundPayment: done }) =>
          done?.__typename === 'RefundRequest' ? 'needs a second approver' : 'done'
        }
        variables={(reason) => ({
          input: { paymentId, amount: amountIn(refundText, currency), cancelSubscription: cancels },
          refundedBefore: refundedAmount,
          reason,
        })}
        onDone={() => setTypedRefund(undefined)}
      >
        <AmountField text={refundText} currency={currency} onChange={setTypedRefund} />
        {payment.subscriptionId !== null && (
          <Checkbox
            label="Also cancel the subscription"
            checked={cancels}
            onChange={({ currentTarget }) => setCancels(currentTarget.checked)}
          />
        )}
      </Action>
      <Action
        name="Capture"
        of={nameOf(payment)}
        document={capture}
        seen={seen}
        refused={refused ?? notHeld}
        consequence={`Captures the authorized amount, at most ${moneyText(amount, currency)}.`}
        variables={(reason) => ({ input: { paymentId, amount: amountIn(captureText, currency) }, reason })}
      >
        <AmountField text={captureText} currency={currency} onChange={setTypedCapture} />
      </Action>
      <Action
        name="Void"
        keep="Keep authorization"
        of={nameOf(payment)}
        color="red"
        document={voidDocument}
        seen={seen}
        refused={refused ?? notHeld}
        consequence="Releases the authorization. This cannot be undone."
        variables={(reason) => ({ paymentId, reason })}
      />
    </Group>
  );
}

interface AmountFieldProps {
  text: string;
  currency: string;
  onChange(text: string): void;
}

function AmountField({ text, currency, onChange }: AmountFieldProps) {
  const isAmount = minorUnits(text, currency) !== undefined;
  return (
    <TextInput
      label={`Amount in ${currency}`}
      required
      inputMode="decimal"
      value={text}
      error={isAmount ? undefined : `An amount such as ${decimalText(2500, currency)}`}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** The amount in minor units. What is not an amount is refused before anything is sent. */
function amountIn(text: string, currency: string): number {
  const amount = minorUnits(text, currency);
  if (amount === undefined) throw new Error(`Enter an amount such as ${decimalText(2500, currency)}.`);
  return amount;
}

const resolve = graphql(`
  mutation ResolvePayment($input: ResolvePaymentInput!) {
    resolvePayment(input: $input) { __typename }
  }
`);

const outcomes = {
  ask: 'Query the processor',
  approved: 'Approved at the processor',
  failed: 'Not found or failed at the processor',
} as const;
type Outcome = keyof typeof outcomes;
const known = Object.keys(outcomes) as Outcome[];

/** Ends the wait of a payment whose outcome at the processor is unknown. */
export function ResolvePayment({ payment, isOpen }: { payment: ActedPayment; isOpen: boolean }) {
  const refused = refusalReason(usePerson(), 'hub');
  const [outcome, setOutcome] = useState<Outcome>('ask');
  const [reference, setReference] = useState('');
  return (
    <Action
      name="Resolve"
      of={nameOf(payment)}
      document={resolve}
      seen={{ Payment: isOpen ? 'outcome unknown' : 'outcome known' }}
      refused={refused ?? (isOpen ? undefined : 'No pending operation.')}
      consequence={
        outcome === 'ask'
          ? 'Queries the processor now.'
          : 'Updates ledger, order and events. Check the processor first: this cannot be undone.'
      }
      variables={(note) => ({
        input: { paymentId: payment.id, outcome, note, processorReference: outcome === 'approved' ? reference : null },
      })}
    >
      <Radio.Group
        label="Outcome"
        value={outcome}
        onChange={(value) => setOutcome(known.find((choice) => choice === value) ?? 'ask')}
      >
        <Stack gap="xs" mt={4}>
          {known.map((choice) => (
            <Radio key={choice} value={choice} label={outcomes[choice]} />
          ))}
        </Stack>
      </Radio.Group>
      {outcome === 'approved' && (
        <TextInput
          label="Processor reference"
          required
          value={reference}
          onChange={({ currentTarget }) => setReference(currentTarget.value)}
        />
      )}
    </Action>
  );
}
