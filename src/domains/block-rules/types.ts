import type { BlockRule as BlockRuleRecord } from '../../generated/prisma/client.ts';
import { builder } from '../../graph/builder.ts';
import { storedColumn } from '../../graph/shared-types.ts';
import { id, ids, listOf } from '../../lists/list-of.ts';
import { type Criteria, type CriterionName, criterionNames } from './rule-criteria.ts';

export const RuleOperator = builder.enumType('RuleOperator', {
  description: 'How the criteria of a block rule are combined.',
  values: {
    OR: { description: 'The rule matches if any of its criteria matches.' },
    AND: { description: 'The rule matches if all of its criteria match.' },
  } as const,
});

export const criteria = {
  ipAddress: {
    type: 'IpAddress',
    description:
      "The IP address of the cardholder: the `payerIp` of a charge, or the address of a checkout page's visitor. A " +
      'charge without one does not match.',
  },
  customerId: { type: 'ID', description: 'Identifier of the paying customer, prefix `cus_`.' },
  email: { type: 'Email', description: "The customer's email address, compared case-insensitively." },
  emailRegex: { type: 'Pattern', description: "A pattern searched for in the customer's email address." },
  bin: { type: 'BinPrefix', description: 'The first 6 to 8 digits of the card number.' },
  binRegex: {
    type: 'Pattern',
    description:
      'A pattern searched for in the first digits of the card number: 8 digits, or 6 if the number has fewer than ' +
      '16 digits.',
  },
  pan: {
    type: 'String',
    description:
      'The card number, 12 to 19 digits. Spaces are ignored. Only a keyed hash of it is stored; its last four digits ' +
      'are returned as `panLast4`. An account can name at most 20 different numbers a day that share `bin` and ' +
      '`last4`; further ones are 429.',
  },
  panRegex: {
    type: 'Pattern',
    description:
      'A pattern searched for in the masked card number: the digits of `bin`, `*` for each hidden digit, the last ' +
      'four digits, such as `42424242****4242`.',
  },
  country: {
    type: 'Country',
    description: "The country of the charge's billing address, or of the customer's if the charge has none.",
  },
  paymentId: {
    type: 'ID',
    description: 'Identifier of a payment, prefix `pay_`. Charges with the card of that payment match.',
  },
} as const satisfies Record<CriterionName, { type: string; description: string }>;

export const BlockRule = builder.prismaObject('BlockRule', {
  description: 'A rule that declines matching charges before a processor is called.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the rule, prefix `rule_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    storeId: t.exposeID('storeId', {
      nullable: true,
      description: 'The store to which the rule is limited, prefix `store_`. Null if it applies to the whole account.',
    }),
    name: t.expose('name', { type: 'Label', description: 'The name of the rule.' }),
    operator: t.field({
      type: RuleOperator,
      description: 'How the criteria are combined.',
      ...storedColumn('operator'),
    }),
    ...Object.fromEntries(
      criterionNames.map((name) => [
        name === 'pan' ? 'panLast4' : name,
        t.field({
          type: criteria[name].type === 'ID' ? 'ID' : 'String',
          nullable: true,
          description: `${
            name === 'pan' ? 'The last four digits of the card number.' : criteria[name].description
          } Null if the rule has no such criterion.`,
          resolve: (rule) => (rule.criteria as Criteria)[name] ?? null, // the column contains Criteria only
        }),
      ]),
    ),
    isPermanent: t.exposeBoolean('isPermanent', { description: 'Whether the rule never expires.' }),
    ttlHours: t.exposeInt('ttlHours', {
      nullable: true,
      description: 'The lifetime that was set, in hours. Null for a permanent rule.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time from which the rule is ignored. Null for a permanent rule.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Key-value data that the client has stored.' }),
    livemode: t.boolean({
      description: 'True in live mode, false in test mode.',
      resolve: (rule) => rule.mode === 'live',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the rule was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change of the rule.' }),
  }),
});

export const blockRules = listOf('BlockRule', BlockRule, (rule: BlockRuleRecord) => rule, {
  of: 'block rules',
  table: 'block_rules',
  sorts: { createdAt: 'createdAt', name: 'name' },
  aboutFilters: 'Conditions on block rules.',
  filters: {
    storeId: ids('Rules that are limited to any of these stores.'),
    platformAccountId: id('Rules of this processing account, prefix `tpa_`.', { forPeople: true }),
  },
  filtersWithinPartner: ['storeId'],
  counted: true,
  forPeople: true,
});
