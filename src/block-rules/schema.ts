import { builder, type BuilderTypes } from '../graph/builder.ts';
import { DeleteResult } from '../graph/delete-result.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../graph/pages.ts';
import { createBlockRule, deleteBlockRule, listBlockRules, readBlockRule, updateBlockRule } from './operations.ts';
import { type Criteria, type CriterionName, criterionNames } from './rule-criteria.ts';

const RuleOperator = builder.enumType('RuleOperator', {
  description: 'How the criteria of a rule go together.',
  values: {
    OR: { description: 'One that matches is enough.' },
    AND: { description: 'All that are given must match.' },
  } as const,
});

const criteria = {
  ipAddress: {
    type: 'IpAddress',
    description: 'The address the charge is asked from: that of the caller of this API.',
  },
  customerId: { type: 'String', description: 'The customer who pays, prefix `cus_`.' },
  email: { type: 'Email', description: "The customer's e-mail address, in any case of its letters." },
  emailRegex: { type: 'Pattern', description: "A pattern found in the customer's e-mail address." },
  bin: { type: 'BinPrefix', description: 'What the card number begins with: 6 to 8 digits.' },
  binRegex: {
    type: 'Pattern',
    description: 'A pattern found in the first digits of the card: 8 of them, 6 of cards under 16 digits.',
  },
  pan: {
    type: 'String',
    description:
      'The card number. Only a keyed hash of it is kept; the answer has its last four digits, as `panLast4`.',
  },
  panRegex: { type: 'Pattern', description: 'A pattern found in the card number.' },
  country: { type: 'Country', description: "The country of the charge's billing address, or else of the customer's." },
  paymentId: { type: 'String', description: 'A payment, prefix `pay_`: charges with the card it was made with match.' },
} as const satisfies Record<CriterionName, { type: string; description: string }>;

/** The same for a rule to add and for a change of one. */
const criterionFields = (t: PothosSchemaTypes.InputFieldBuilder<BuilderTypes, 'InputObject'>) => ({
  ipAddress: t.field(criteria.ipAddress),
  customerId: t.field(criteria.customerId),
  email: t.field(criteria.email),
  emailRegex: t.field(criteria.emailRegex),
  bin: t.field(criteria.bin),
  binRegex: t.field(criteria.binRegex),
  pan: t.field(criteria.pan),
  panRegex: t.field(criteria.panRegex),
  country: t.field(criteria.country),
  paymentId: t.field(criteria.paymentId),
});

const BlockRule = builder.prismaObject('BlockRule', {
  description: 'What a charge is declined for before any processor is asked.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifier, prefix `rule_`.' }),
    platformAccountId: t.exposeString('platformAccountId', { description: 'The processing account, prefix `tpa_`.' }),
    storeId: t.exposeString('storeId', {
      nullable: true,
      description: 'The only store it is for, prefix `store_`; null for all of the account.',
    }),
    name: t.expose('name', { type: 'Label', description: 'What the rule is called.' }),
    operator: t.field({
      type: RuleOperator,
      description: 'How the criteria go together.',
      resolve: (rule) => rule.operator as 'OR' | 'AND',
    }), // a CHECK constraint holds the column to the two
    ...Object.fromEntries(
      criterionNames.map((name) => [
        name === 'pan' ? 'panLast4' : name,
        t.string({
          nullable: true,
          description: name === 'pan' ? "The card number's last four digits." : criteria[name].description,
          resolve: (rule) => (rule.criteria as Criteria)[name] ?? null,
        }),
      ]),
    ), // written as Criteria only
    isPermanent: t.exposeBoolean('isPermanent', { description: 'Whether it never expires.' }),
    ttlHours: t.exposeInt('ttlHours', { nullable: true, description: 'How long it was made for.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'From then on it does nothing.',
    }),
    metadata: t.expose('metadata', { type: 'Metadata', description: 'Your own notes.' }),
    livemode: t.boolean({ description: 'False in test mode.', resolve: (rule) => rule.mode === 'live' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

const BlockRulePage = pageType('BlockRulePage', BlockRule, 'block rules');
const BlockRuleSort = sortInput('BlockRuleSort', ['createdAt', 'name']);

export const BlockRuleFilters = builder.inputType('BlockRuleFilters', {
  description: 'Which block rules.',
  fields: (t) => ({ storeId: t.stringList({ description: 'Narrowed to any of these stores.' }) }),
});

export const CreateBlockRuleInput = builder.inputType('CreateBlockRuleInput', {
  description: 'A block rule: a name and at least one criterion.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'What the rule is called.' }),
    operator: t.field({
      type: RuleOperator,
      required: true,
      defaultValue: 'OR',
      description: 'How the criteria go together.',
    }),
    storeId: t.string({ description: 'Narrows the rule to one store, prefix `store_`. Required with a partner key.' }),
    ...criterionFields(t),
    isPermanent: t.boolean({ description: 'Whether it never expires (default false).' }),
    ttlHours: t.field({
      type: 'TtlHours',
      description: 'How long it lasts, 1 to 8760 hours; 24 when neither this nor `isPermanent` is given.',
    }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes.' }),
  }),
});

export const UpdateBlockRuleInput = builder.inputType('UpdateBlockRuleInput', {
  description: 'What to change. What is left out stays; null removes a criterion, but not the last one.',
  fields: (t) => ({
    name: t.field({ type: 'Label', description: 'What the rule is called.' }),
    operator: t.field({ type: RuleOperator, description: 'How the criteria go together.' }),
    ...criterionFields(t),
    isPermanent: t.boolean({
      description: 'Whether it never expires; false gives it 24 hours from now, or `ttlHours`.',
    }),
    ttlHours: t.field({ type: 'TtlHours', description: 'How long it lasts from now, 1 to 8760 hours.' }),
    metadata: t.field({ type: 'Metadata', description: 'Your own notes; replaces all of them.' }),
  }),
});

const blockRuleId = { required: true, description: 'Identifier, prefix `rule_`.' } as const;

builder.queryFields((t) => ({
  blockRule: t.withAuth({ key: true }).field({
    type: BlockRule,
    description: 'One block rule. 404 when it is not within the reach of the key.',
    args: { blockRuleId: t.arg.string(blockRuleId) },
    resolve: (_root, args, context) => readBlockRule(context, args.blockRuleId),
  }),
  blockRules: t.withAuth({ key: true }).field({
    type: BlockRulePage,
    description:
      "The block rules of the key's account, or of all the partner's accounts of its mode, expired ones too.",
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: BlockRuleSort, description: 'The order.' }),
      filters: t.arg({ type: BlockRuleFilters, description: 'Which block rules.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listBlockRules(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createBlockRule: t.withAuth({ key: true }).field({
    type: BlockRule,
    description:
      'Adds a rule. From now on a charge it hits is `declined` with `blocked_by_rule`, and its `failureMessage` names the rule.',
    args: { input: t.arg({ type: CreateBlockRuleInput, required: true, description: 'The rule.' }) },
    resolve: (_root, { input }, context) => createBlockRule(context, input),
  }),
  updateBlockRule: t.withAuth({ key: true }).field({
    type: BlockRule,
    description: 'Changes what is named and leaves the rest.',
    args: {
      blockRuleId: t.arg.string(blockRuleId),
      input: t.arg({ type: UpdateBlockRuleInput, required: true, description: 'What to change.' }),
    },
    resolve: (_root, args, context) => updateBlockRule(context, args.blockRuleId, args.input),
  }),
  deleteBlockRule: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Removes a rule for good. 404 the second time.',
    args: { blockRuleId: t.arg.string(blockRuleId) },
    resolve: (_root, args, context) => deleteBlockRule(context, args.blockRuleId),
  }),
}));
