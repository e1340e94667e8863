import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { accountOfPeople, byCaller, doneByPeople, namedAccount, reasonOfPeople } from '../../graph/by-caller.ts';
import { DeleteResult } from '../../graph/shared-types.ts';
import { objectOfPeople } from '../../lists/inputs.ts';
import { createBlockRule, deleteBlockRule, updateBlockRule } from './change-rule.ts';
import { CreateBlockRuleInput, UpdateBlockRuleInput } from './inputs.ts';
import { BlockRule, blockRules } from './types.ts';

const blockRuleId = { required: true, description: 'Identifier of the rule, prefix `rule_`.' } as const;

builder.queryFields((t) => ({
  blockRule: t.withAuth({ $any: { suspendedKey: true, directory: true } }).prismaField({
    type: BlockRule,
    description: 'Retrieves a block rule. 404 if the rule is not visible to the API key.',
    forPeople: objectOfPeople,
    args: { blockRuleId: t.arg.id(blockRuleId) },
    resolve: (query, _root, args, context) => visible(context, 'blockRule', args.blockRuleId, query),
  }),
  blockRules: t.withAuth({ $any: { suspendedKey: true, directory: true } }).field(
    blockRules.field(
      "Lists the block rules of the sub-key's account, or of all the partner's accounts of the API key's mode, " +
        'newest first by default. Expired rules are included.',
      {
        sortBy: 'The order of the list. Defaults to newest first.',
        filters: 'Conditions that limit the list.',
      },
    ),
  ),
}));

builder.mutationFields((t) => ({
  createBlockRule: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: BlockRule,
    description:
      'Creates a block rule. From then on a matching charge is `declined` with `blocked_by_rule`. Its ' +
      '`failureMessage` ' +
      'names the rule, unless the rule has a criterion about the card: `bin`, `binRegex`, `pan`, `panRegex` or ' +
      '`paymentId`.',
    forPeople: `${doneByPeople} They name the account in \`platformAccountId\`.`,
    args: {
      input: t.arg({ type: CreateBlockRuleInput, required: true, description: 'The rule to create.' }),
      platformAccountId: t.arg.id(accountOfPeople),
      reason: t.arg(reasonOfPeople),
    },
    resolve: (_root, { input, platformAccountId, reason }, context) => {
      const target = namedAccount(context, { platformAccountId, storeId: input.storeId });
      const change = { field: 'createBlockRule', kind: 'processingAccount', target, reason } as const;
      return byCaller(context, change, (own) => createBlockRule(own, input));
    },
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
  deleteBlockRule: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: DeleteResult,
    description: 'Deletes a block rule permanently. 404 if it was deleted before or is not visible to the API key.',
    forPeople: doneByPeople,
    args: { blockRuleId: t.arg.id(blockRuleId), reason: t.arg(reasonOfPeople) },
    resolve: (_root, { blockRuleId: target, reason }, context) => {
      const change = { field: 'deleteBlockRule', kind: 'blockRule', target, reason } as const;
      return byCaller(context, change, (own) => deleteBlockRule(own, target));
    },
  }),
}));
