import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { pageArguments, pageComplexity, pageType, sortInput } from '../../lists/inputs.ts';
import { createBlockRule, deleteBlockRule, updateBlockRule } from './change-rule.ts';
import { BlockRuleFilters, CreateBlockRuleInput, listBlockRules, UpdateBlockRuleInput } from './inputs.ts';
import { BlockRule } from './types.ts';

const BlockRulePage = pageType('BlockRulePage', BlockRule, 'block rules');
const BlockRuleSort = sortInput('BlockRuleSort', ['createdAt', 'name']);

const blockRuleId = { required: true, description: 'Identifier of the rule, prefix `rule_`.' } as const;

builder.queryFields((t) => ({
  blockRule: t.withAuth({ suspendedKey: true }).field({
    type: BlockRule,
    description: 'Retrieves a block rule. 404 if the rule is not visible to the API key.',
    args: { blockRuleId: t.arg.id(blockRuleId) },
    resolve: (_root, args, context) => visible(context, 'blockRule', args.blockRuleId),
  }),
  blockRules: t.withAuth({ suspendedKey: true }).field({
    type: BlockRulePage,
    description:
      "Lists the block rules of the sub-key's account, or of all the partner's accounts of the API key's mode, " +
      'newest first by default. Expired rules are included.',
    args: {
      ...pageArguments,
      sortBy: t.arg({ type: BlockRuleSort, description: 'The order of the list. Defaults to newest first.' }),
      filters: t.arg({ type: BlockRuleFilters, description: 'Conditions that limit the list.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, args, context) => listBlockRules(context, args),
  }),
}));

builder.mutationFields((t) => ({
  createBlockRule: t.withAuth({ key: true }).field({
    type: BlockRule,
    description:
      'Creates a block rule. From then on a matching charge is `declined` with `blocked_by_rule`. Its ' +
      '`failureMessage` ' +
      'names the rule, unless the rule has a criterion about the card: `bin`, `binRegex`, `pan`, `panRegex` or ' +
      '`paymentId`.',
    args: { input: t.arg({ type: CreateBlockRuleInput, required: true, description: 'The rule to create.' }) },
    resolve: (_root, { input }, context) => createBlockRule(context, input),
  }),
  updateBlockRule: t.withAuth({ key: true }).field({
    type: BlockRule,
    description: 'Updates the fields that are given. 404 if the rule is not visible to the API key.',
    args: {
      blockRuleId: t.arg.id(blockRuleId),
      input: t.arg({ type: UpdateBlockRuleInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, args, context) => updateBlockRule(context, args.blockRuleId, args.input),
  }),
  deleteBlockRule: t.withAuth({ key: true }).field({
    type: DeleteResult,
    description: 'Deletes a block rule permanently. 404 if it was deleted before or is not visible to the API key.',
    args: { blockRuleId: t.arg.id(blockRuleId) },
    resolve: (_root, args, context) => deleteBlockRule(context, args.blockRuleId),
  }),
}));
