import { builder } from '../../graph/builder.ts';
import { limitedTo } from '../../graph/field-limits.ts';
import { pageArguments, pageComplexity, pageType } from '../../lists/inputs.ts';
import { readAuthTest } from './auth-test.ts';
import { createApiKey, revokeApiKey } from './change-key.ts';
import { ApiKeyFilters, CreateApiKeyInput, listApiKeys } from './inputs.ts';
import { ApiKey, AuthTest, CreatedApiKey } from './types.ts';

const ApiKeyPage = pageType('ApiKeyPage', ApiKey, 'API keys');

const accountIdArgument = {
  required: true,
  description: 'Identifier of the processing account, prefix `tpa_`. 404 if it is not visible to the API key.',
} as const;

builder.queryFields((t) => ({
  authTest: t.withAuth({ key: true }).field({
    type: AuthTest,
    description: 'Describes the API key of the request: its mode, kind and owner.',
    resolve: (_root, _args, context) => readAuthTest(context),
  }),
  apiKeys: t.withAuth({ partnerKey: true }).field({
    type: ApiKeyPage,
    description: 'Lists the sub-keys of an account, newest first.',
    args: {
      accountId: t.arg.id(accountIdArgument),
      ...pageArguments,
      filters: t.arg({ type: ApiKeyFilters, description: 'Conditions that limit the list.' }),
    },
    complexity: pageComplexity,
    resolve: (_root, { accountId, ...args }, context) => listApiKeys(context, accountId, args),
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
      accountId: t.arg.id(accountIdArgument),
      input: t.arg({ type: CreateApiKeyInput, required: true, description: 'The sub-key to create.' }),
    },
    resolve: limitedTo(
      { name: 'createApiKey', perMinute: createdPerMinuteMax, whose: (context) => context.caller.partnerId },
      (_root, { accountId, input }, context) => createApiKey(context, accountId, input),
    ),
  }),
  revokeApiKey: t.withAuth({ partnerKey: true }).field({
    type: ApiKey,
    description:
      'Revokes a sub-key permanently. Every call with it that starts after this answer is refused with 401, on every ' +
      'server. Revoking a revoked key returns it unchanged. 404 if it is not a sub-key of the partner.',
    args: { keyId: t.arg.id({ required: true, description: 'Identifier of the sub-key, prefix `ak_`.' }) },
    resolve: (_root, { keyId }, context) => revokeApiKey(context, keyId),
  }),
}));
