import { builder } from '../../graph/builder.ts';
import { Mode } from '../../graph/shared-types.ts';

export const CreateApiKeyInput = builder.inputType('CreateApiKeyInput', {
  description: 'The sub-key to create.',
  fields: (t) => ({
    label: t.field({ type: 'Label', required: true, description: 'Your own label of the key, 1 to 100 characters.' }),
    mode: t.field({
      type: Mode,
      description:
        'Must be the mode of the API key of the request, which is the default. Another mode is refused with 403 ' +
        '`mode_escalation_forbidden`.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Time from which the key is refused. Must be in the future. By default the key does not expire.',
    }),
    allowedIps: t.stringList({
      description:
        'CIDR ranges from which the key can be used, such as `203.0.113.0/24`, at most 50. By default it can be used ' +
        'from any address.',
    }),
  }),
});
