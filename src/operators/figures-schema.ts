import DataLoader from 'dataloader';
import { peopleVisibility } from '../auth/visibility.ts';
import type { SessionContext } from '../call/context.ts';
import { type Figure, type FigureKey, type FiguresSpan, figuresMax, readFigures } from '../domains/ledger/public.ts';
import { builder } from '../graph/builder.ts';
import { invalid } from '../lib/errors.ts';
import type { Mode } from '../lib/ids.ts';
import { visibilityArgs } from '../lists/inputs.ts';

const FigureKeyEnum = builder.enumType('FigureKey', {
  description: 'What figures are grouped by, beside the currency.',
  values: {
    day: { description: 'The day in UTC.' },
    processor: { description: 'The processor.' },
    processorType: {
      description: 'The type of the processor, such as `stripe`: one row for the processors of all accounts.',
    },
    currency: { description: 'The currency only.' },
    declineCode: { description: 'The reason for which a charge was refused. Refused payments only.' },
  } as const satisfies Record<FigureKey, object>,
});

const FigureRef = builder.objectRef<Figure>('Figure').implement({
  description:
    'What the payments, refunds and disputes of one key and currency come to. Payments count on the day of their ' +
    'creation, refunds and disputes on that of their own. What happened on test clocks does not count.',
  fields: (t) => ({
    key: t.string({
      nullable: true,
      description:
        'The day (`2026-01-31`), the processor (prefix `proc_`), the type of the processor (`stripe`), the currency ' +
        'or the decline code, as asked for. Null for payments that reached no processor, and for refusals without a code.',
      resolve: ({ key }) => (key === '' ? null : key),
    }),
    currency: t.expose('currency', { type: 'Currency', description: 'ISO 4217 code of the amounts.' }),
    payments: t.expose('payments', { type: 'Count', description: 'Number of payments, whatever their outcome.' }),
    approved: t.expose('approved', {
      type: 'Count',
      description: 'Number of payments whose charge was approved, also if the authorization was voided or expired.',
    }),
    refused: t.expose('refused', {
      type: 'Count',
      description: 'Number of payments that were declined, blocked, not authenticated or failed.',
    }),
    approvalRate: t.float({
      nullable: true,
      description:
        'The share of the approved payments in those with an outcome, 0 to 1. Null if none has an outcome. ' +
        'Payments awaiting one are not counted.',
      resolve: ({ approved, refused }) => (approved + refused === 0 ? null : approved / (approved + refused)),
    }),
    volume: t.expose('volume', {
      type: 'AmountSum',
      description:
        'The sum of the amounts of the approved payments, in minor units. It includes authorizations that were voided, ' +
        'expired or captured in part, with their whole amount.',
    }),
    capturedVolume: t.expose('capturedVolume', {
      type: 'AmountSum',
      description:
        'The sum of what was captured of the payments, in minor units. It counts on the day of the payment, also if ' +
        'the capture was later. Refunds and disputes do not reduce it.',
    }),
    authorizedVolume: t.expose('authorizedVolume', {
      type: 'AmountSum',
      description:
        'The sum of the amounts that are authorized now and not captured, voided or expired, in minor units. A capture ' +
        'or void whose outcome is unknown leaves its authorization in this sum.',
    }),
    refunds: t.expose('refunds', { type: 'Count', description: 'Number of refunds that succeeded.' }),
    refundedVolume: t.expose('refundedVolume', {
      type: 'AmountSum',
      description: 'The sum of those refunds, in minor units.',
    }),
    disputes: t.expose('disputes', { type: 'Count', description: 'Number of disputes, whatever became of them.' }),
    disputedVolume: t.expose('disputedVolume', {
      type: 'AmountSum',
      description: 'The sum of the disputed amounts, in minor units, whatever became of the disputes.',
    }),
    netVolume: t.field({
      type: 'AmountSum',
      description:
        '`capturedVolume` less `refundedVolume` and `disputedVolume`, in minor units. It is negative on a day with more ' +
        'refunds and disputes than captures. Disputes that were won are subtracted, too.',
      resolve: ({ capturedVolume, refundedVolume, disputedVolume }) =>
        String(BigInt(capturedVolume) - BigInt(refundedVolume) - BigInt(disputedVolume)),
    }),
  }),
});

const daysMax = 366;
const dayMs = 86_400_000;

builder.queryField('figures', (t) =>
  t.withAuth({ directory: true }).field({
    type: [FigureRef],
    description:
      'Returns figures of a span of days, exact up to the moment of the call; internal staff may see them a moment ' +
      'late where a read replica is set. By day the latest comes first, otherwise ' +
      `that with the most payments; at most ${figuresMax.toLocaleString('en-US')}. Internal staff see all partners. ` +
      'Admins and account managers of a partner see their own partner.',
    args: {
      ...visibilityArgs,
      platformAccountId: t.arg.id({ description: 'Only payments of this processing account, prefix `tpa_`.' }),
      from: t.arg({ type: 'Date', required: true, description: 'The first day in UTC.' }),
      to: t.arg({
        type: 'Date',
        required: true,
        description: `The last day in UTC, included. 400 if it is before \`from\`, or the range exceeds ${daysMax} days.`,
      }),
      by: t.arg({
        type: FigureKeyEnum,
        required: true,
        description: 'What the figures are grouped by, beside the currency.',
      }),
    },
    resolve: (_root, args, context) => figuresOf(context, args),
  }),
);

async function figuresOf(
  context: SessionContext,
  requested: {
    mode: Mode;
    partnerSlug?: string | null | undefined;
    platformAccountId?: string | null | undefined;
    from: string;
    to: string;
    by: FigureKey;
  },
): Promise<Figure[]> {
  const { mode, partnerSlug, platformAccountId, from, to, by } = requested;
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  if (days < 1) throw invalid('to', 'must not be before `from`');
  if (days > daysMax) throw invalid('to', `must be at most ${daysMax - 1} days after \`from\``);
  const visibility = await peopleVisibility(context, { mode, partnerSlug });
  const span = { visibility, platformAccountId: platformAccountId ?? null, from, to };
  return loaderOf(context, span).load(by);
}

type Loader = DataLoader<FigureKey, Figure[]>;
const loaders = new WeakMap<SessionContext, Map<string, Loader>>();

/** The figures of one span and tenant by all keys that an operation asks for, which are read in one statement. */
function loaderOf(context: SessionContext, span: FiguresSpan): Loader {
  const { visibility, platformAccountId, from, to } = span;
  const name = JSON.stringify([visibility.mode, visibility.partnerId, platformAccountId, from, to]);
  const known = loaders.get(context) ?? new Map<string, Loader>();
  loaders.set(context, known);
  const loader = known.get(name) ?? new DataLoader((keys) => readFigures(context.services, span, keys));
  known.set(name, loader);
  return loader;
}
