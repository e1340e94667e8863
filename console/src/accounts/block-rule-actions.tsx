import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { graphql, type VariablesOf } from '../graph/graphql.ts';
import { Action } from '../ui/action.tsx';
import { bulkAction } from '../ui/bulk-action.ts';
import { useListedAccount } from '../ui/object-picker.tsx';
import { refusalReason, usePerson } from '../ui/person.tsx';

const create = graphql(`
  mutation CreateBlockRule($platformAccountId: ID!, $input: CreateBlockRuleInput!, $reason: Name!) {
    createBlockRule(platformAccountId: $platformAccountId, input: $input, reason: $reason) { id }
  }
`);
const block = graphql(`
  mutation BlockCharges($platformAccountId: ID!, $input: CreateBlockRuleInput!, $reason: Name!) {
    createBlockRule(platformAccountId: $platformAccountId, input: $input, reason: $reason) { id }
  }
`);
const remove = graphql(`
  mutation DeleteBlockRule($blockRuleId: ID!, $reason: Name!) {
    deleteBlockRule(blockRuleId: $blockRuleId, reason: $reason) { id }
  }
`);

type Rule = VariablesOf<typeof create>['input'];

/** How long a rule declines, by its words. */
const lifetimes = {
  '24 hours': { ttlHours: 24 },
  '7 days': { ttlHours: 7 * 24 },
  '30 days': { ttlHours: 30 * 24 },
  '1 year': { ttlHours: 365 * 24 },
  'Until it is deleted': { isPermanent: true },
} as const satisfies Record<string, Partial<Rule>>;
type Lifetime = keyof typeof lifetimes;
const known = Object.keys(lifetimes) as Lifetime[];

function LifetimeField({ value, onChange }: { value: Lifetime; onChange(value: Lifetime): void }) {
  return (
    <NativeSelect
      label="Blocked for"
      data={known}
      value={value}
      onChange={({ currentTarget }) => onChange(known.find((choice) => choice === currentTarget.value) ?? '24 hours')}
    />
  );
}

const consequence =
  'Declines matching charges of this account before the processor is called, renewals of subscriptions included.';

/** What a rule of a page matches, such as the card of a payment. */
export interface BlockTarget {
  /** Says it in the dialog, for example `Card Visa ···· 4242`. */
  label: string;
  /** The name of the rule, which stays in the audit log and names no person. */
  name: string;
  criterion: Partial<Rule>;
}

interface BlockProps {
  account: { id: string; legalName: string };
  /** The first is chosen at the beginning. */
  targets: readonly [BlockTarget, ...BlockTarget[]];
}

/** Blocks what a page shows: a card, an email address or a customer. */
export function Block({ account, targets }: BlockProps) {
  const [chosen, setChosen] = useState(targets[0].label);
  const [lifetime, setLifetime] = useState<Lifetime>('24 hours');
  const { label, name, criterion } = targets.find((target) => target.label === chosen) ?? targets[0];
  return (
    <Action
      name="Block"
      of={`charges to ${account.legalName}`}
      color="red"
      document={block}
      refused={refusalReason(usePerson(), 'admin')}
      consequence={consequence}
      variables={(reason) => ({
        platformAccountId: account.id,
        input: { name, ...criterion, ...lifetimes[lifetime] },
        reason,
      })}
      outcome={() => 'blocked'}
    >
      <Radio.Group label="Charges with" value={label} onChange={setChosen}>
        <Stack gap="xs" mt={4}>
          {targets.map((target) => (
            <Radio key={target.label} value={target.label} label={target.label} />
          ))}
        </Stack>
      </Radio.Group>
      <LifetimeField value={lifetime} onChange={setLifetime} />
    </Action>
  );
}

/** The criteria that are typed, by their labels, each with an example. */
const criteria = {
  'Email address': ['email', 'ada@example.com'],
  'Email pattern': ['emailRegex', '@example\\.(com|net)$'],
  'Card begins with': ['bin', '424242'],
  'IP address': ['ipAddress', '203.0.113.7'],
  Country: ['country', 'US'],
} as const;
type Criterion = keyof typeof criteria;
const criterionLabels = Object.keys(criteria) as Criterion[];

/** Creates a rule of an account: the one that the list is filtered by, or one that is chosen by name. */
export function NewBlockRule() {
  const account = useListedAccount();
  const [name, setName] = useState('');
  const [criterion, setCriterion] = useState<Criterion>('Email address');
  const [value, setValue] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('24 hours');
  const [field, example] = criteria[criterion];
  return (
    <Action
      name="Create block rule"
      document={create}
      refused={refusalReason(usePerson(), 'admin')}
      consequence={consequence}
      variables={(reason) => ({
        platformAccountId: account.id,
        input: { name, [field]: value.trim(), ...lifetimes[lifetime] },
        reason,
      })}
      onDone={() => {
        setName('');
        setValue('');
      }}
    >
      {account.field}
      <TextInput label="Name" required value={name} onChange={({ currentTarget }) => setName(currentTarget.value)} />
      <NativeSelect
        label="Charges with"
        data={criterionLabels}
        value={criterion}
        onChange={({ currentTarget }) =>
          setCriterion(criterionLabels.find((choice) => choice === currentTarget.value) ?? 'Email address')
        }
      />
      <TextInput
        label={criterion}
        placeholder={example}
        required
        value={value}
        onChange={({ currentTarget }) => setValue(currentTarget.value)}
      />
      <LifetimeField value={lifetime} onChange={setLifetime} />
    </Action>
  );
}

interface ListedRule {
  id: string;
  name: string;
}

const deleted = 'Charges that it matched are no longer declined by it.';

/** Deletes one rule. */
export function DeleteRule({ rule: { id, name } }: { rule: ListedRule }) {
  return (
    <Action
      name="Delete"
      keep="Keep rule"
      of={`block rule ${name}`}
      color="red"
      document={remove}
      refused={refusalReason(usePerson(), 'admin')}
      consequence={`${deleted} This cannot be undone.`}
      variables={(reason) => ({ blockRuleId: id, reason })}
      outcome={() => 'deleted'}
    />
  );
}

/** Deletes the selected rules. */
export const deleteAll = bulkAction({
  name: 'Delete',
  color: 'red',
  right: 'admin',
  document: remove,
  consequence: `Deletes each rule. ${deleted} This cannot be undone.`,
  variables: ({ id }: ListedRule, reason) => ({ blockRuleId: id, reason }),
  nameOf: ({ name }) => name,
});
