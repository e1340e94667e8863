import { peopleVisibility } from '../auth/visibility.ts';
import { listCardTestingAlerts } from '../domains/instruments/public.ts';
import { builder } from '../graph/builder.ts';
import { pageArguments, pageComplexity, pageType, visibilityArgs } from '../lists/inputs.ts';

export const CardTestingAlert = builder.prismaObject('CardTestingAlert', {
  description:
    'Possible card testing: an account presented too many card numbers with the same visible digits on one day. ' +
    'Kept for 90 days.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier of the alert, prefix `alert_`.' }),
    partnerId: t.exposeID('partnerId', { description: 'Identifier of the partner, prefix `par_`.' }),
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    bin: t.exposeString('bin', { description: 'The leading digits of the numbers: 8, or 6 of a number under 16.' }),
    last4: t.exposeString('last4', { description: 'The last four digits of the numbers.' }),
    refusals: t.exposeInt('refusals', { description: 'The number of calls of that day (UTC) that were refused.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the first refused call.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the latest refused call.' }),
  }),
});

const CardTestingAlertPage = pageType('CardTestingAlertPage', CardTestingAlert, 'card testing alerts');

builder.queryField('cardTestingAlerts', (t) =>
  t.withAuth({ platformStaff: true }).field({
    type: CardTestingAlertPage,
    description:
      'Lists the accounts that presented too many card numbers with the same visible digits, newest first. For ' +
      'internal staff.',
    args: { ...visibilityArgs, ...pageArguments },
    complexity: pageComplexity,
    resolve: async (_root, { mode, partnerSlug, ...args }, context) =>
      listCardTestingAlerts(context, await peopleVisibility(context, { mode, partnerSlug }), args),
  }),
);
