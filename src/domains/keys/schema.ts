import { visibilityOf } from '../../auth/visibility.ts';
import { visible } from '../../auth/visible.ts';
import { builder } from '../../graph/builder.ts';
import { byCaller, doneByPeople, isOfPerson, reasonOfPeople } from '../../graph/by-caller.ts';
import { platformAccountIdArgument } from '../../graph/shared-types.ts';
import { invalid } from '../../lib/errors.ts';
import { pageArguments, pageComplexity, rowsOfPeople, viewerArgs } from '../../lists/inputs.ts';
import { readAuthTest } from './auth-test.ts';
import { createApiKey, revokeApiKey } from './change-key.ts';
import { CreateApiKeyInput } from './inputs.ts';
import { ApiKey, AuthTest, apiKeys, CreatedApiKey } from './types.ts';

const accountIdArgument = {
  ...platformAccountIdArgument,
  description: `${platformAccountIdArgument.description} 404 if it is not visible to the API key.`,
};

builder.queryFields((t) => ({
  authTest: t.withAuth({ suspendedKey: true }).field({
    type: AuthTest,
    description: 'Describes the API key of the request: its mode, kind and owner.',
    resolve: (_root, _args, context) => readAuthTest(context),
  }),
  apiKeys: t.withAuth({ $any: { suspendedPartnerKey: true, directory: true } }).field({
    type: apiKeys.Page,
    description: 'Lists the sub-keys of an account, newest first.',
    forPeople: `A key must name the account. Without it, people list the keys of both kinds. ${rowsOfPeople}`,
    args: {
      platformAccountId: t.arg.id({ description: accountIdArgument.description }),
      ...pageArguments,
      ...viewerArgs,
      filters: t.arg({ type: apiKeys.Filters, description: 'Conditions that limit the list.' }),
    },
    complexity: pageComplexity,
    resolve: async (_root, { platformAccountId, mode, partnerSlug, filters, ...args }, context) => {
      const visibility = await visibilityOf(context, { mode, partnerSlug });
      if (platformAccountId != null) await visible(context, 'processingAccount', platformAccountId);
      else if (!isOfPerson(context))
        throw invalid('platformAccountId', 'is required: the account whose keys are listed');
      return apiKeys.read(context, visibility, {
        ...args,
        filters: { ...filters, ...(platformAccountId != null && { platformAccountId }) },
      });
    },
  }),
}));

const createdPerMinuteMax = 60;

builder.mutationFields((t) => ({
  createApiKey: t.withAuth({ partnerKey: true }).field({
    type: CreatedApiKey,
    description:
      'Creates a sub-key for one account. Only this answer contains the secret. At most ' +
      `${createdPerMinuteMax} calls per minute and partner; further calls are refused with 429.`,
    args: {
      platformAccountId: t.arg.id(accountIdArgument),
      input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The sub-key to create.' }),
    },
    rateLimit: { max: createdPerMinuteMax, window: '1m', by: ({ tenant }) => tenant.partnerId },
    resolve: (_root, { platformAccountId, input }, context) => createApiKey(context, platformAccountId, input),
  }),
  revokeApiKey: t.withAuth({ $any: { suspendedPartnerKey: true, admin: true } }).field({
    type: ApiKey,
    description:
      'Revokes a sub-key permanently. Every call with it that starts after this answer is refused with 401, on every ' +
      'server. Revoking a revoked key returns it unchanged. 404 if it is not a sub-key of the partner.',
    forPeople: doneByPeople,
    args: {
      keyId: t.arg.id({ required: true, description: 'Identifier of the sub-key, prefix `ak_`.' }),
      reason: t.arg(reasonOfPeople),
    },
    resolve: (_root, { keyId, reason }, context) =>
      byCaller(
        context,
        { field: 'revokeApiKey', kind: 'apiKey', where: { kind: 'sub' }, target: keyId, reason },
        (own) => revokeApiKey(own, keyId),
      ),
  }),
}));
