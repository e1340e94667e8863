import { type BuilderTypes, builder } from '../../graph/builder.ts';
import { notNull } from '../../graph/input/rules.ts';
import { criteria, RuleOperator } from './types.ts';

/** The criteria, for creating a rule and for changing one. */
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

export const CreateBlockRuleInput = builder.inputType('CreateBlockRuleInput', {
  description: 'The block rule to create. At least one criterion is required.',
  fields: (t) => ({
    name: t.field({ type: 'Label', required: true, description: 'The name of the rule.' }),
    operator: t.field({
      type: RuleOperator,
      required: true,
      defaultValue: 'OR',
      description: 'How the criteria are combined.',
    }),
    storeId: t.id({
      description: 'Limits the rule to one store, prefix `store_`. Required with a partner key.',
    }),
    ...criterionFields(t),
    isPermanent: t.boolean({
      defaultValue: false,
      description: 'Whether the rule never expires. Cannot be true together with `ttlHours`.',
    }),
    ttlHours: t.field({
      type: 'TtlHours',
      description: 'The lifetime of the rule in hours, 1 to 8760. Defaults to 24 unless `isPermanent` is true.',
    }),
    metadata: t.field({ type: 'Metadata', description: 'Key-value data to store with the rule.' }),
  }),
});

export const UpdateBlockRuleInput = builder.inputType('UpdateBlockRuleInput', {
  description:
    'The fields to change. Fields that are left out keep their values. Null removes a criterion; at least one ' +
    'criterion must remain.',
  fields: (t) => ({
    name: t.field({ ...notNull, type: 'Label', description: 'The name of the rule.' }),
    operator: t.field({ ...notNull, type: RuleOperator, description: 'How the criteria are combined.' }),
    ...criterionFields(t),
    isPermanent: t.boolean({
      ...notNull,
      description: 'Whether the rule never expires. False lets it expire after `ttlHours` from now, by default 24.',
    }),
    ttlHours: t.field({ type: 'TtlHours', description: 'The lifetime of the rule from now in hours, 1 to 8760.' }),
    metadata: t.field({
      type: 'Metadata',
      description: 'Key-value data to store with the rule. Replaces all existing keys.',
    }),
  }),
});
