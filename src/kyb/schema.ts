import { KybStatus } from '../accounts/schema.ts';
import { builder } from '../graph/builder.ts';
import { describeKyb, type KybView, type RequirementView, submitKyb } from './operations.ts';
import { requirementStatuses } from './lifecycle.ts';
import './scalars.ts';

export const KybRequirementStatus = builder.enumType('KybRequirementStatus', {
  description: 'What became of one requirement: nothing sent yet, sent, or what a reviewer made of it.',
  values: requirementStatuses,
});

export const KybRequirement = builder.objectRef<RequirementView>('KybRequirement').implement({
  description: 'One thing that is asked of a business. What was sent for it is never shown.',
  fields: (t) => ({
    code: t.expose('code', { type: 'KybCode', description: 'Which it is.' }),
    category: t.exposeString('category', {
      description: 'What it is about: `business`, `representative`, `banking` or `documents`.',
    }),
    description: t.exposeString('description', { description: 'What to send, in words.' }),
    required: t.exposeBoolean('required', { description: 'Whether the KYB is complete only with it. All are today.' }),
    status: t.expose('status', { type: KybRequirementStatus, description: 'What became of it.' }),
    rejectionReason: t.exposeString('rejectionReason', {
      nullable: true,
      description: 'Why it was rejected; null otherwise.',
    }),
    submittedAt: t.expose('submittedAt', { type: 'DateTime', nullable: true, description: 'When it was sent last.' }),
    reviewedAt: t.expose('reviewedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was decided; null again once it is sent anew.',
    }),
  }),
});

const Kyb = builder.objectRef<KybView>('Kyb').implement({
  description: 'How far the verification of a business has come, and what it is still asked for.',
  fields: (t) => ({
    platformAccountId: t.exposeString('platformAccountId', { description: 'The account, prefix `tpa_`.' }),
    kybStatus: t.expose('kybStatus', {
      type: KybStatus,
      description:
        '`not_started → in_progress → submitted → approved` or `rejected`, and from there `submitted` again.',
    }),
    requirements: t.field({
      type: [KybRequirement],
      description: 'All that is asked for, always in the same order.',
      resolve: ({ requirements }) => requirements,
    }),
  }),
});

const KybItemInput = builder.inputType('KybItemInput', {
  description: 'What is sent for one requirement.',
  fields: (t) => ({
    code: t.field({ type: 'KybCode', required: true, description: 'Which it is for.' }),
    value: t.field({ type: 'KybValue', required: true, description: 'What is sent; replaces what was sent before.' }),
  }),
});

export const SubmitKybInput = builder.inputType('SubmitKybInput', {
  description: 'What is sent, at once or bit by bit.',
  fields: (t) => ({
    items: t.field({ type: [KybItemInput], required: true, description: 'At least one; each code once.' }),
  }),
});

const accountId = { required: true, description: 'The account, prefix `tpa_`.' } as const;

builder.queryField('kyb', (t) =>
  t.withAuth({ key: true }).field({
    type: Kyb,
    description: 'The KYB of an account. 404 when the account is not within the reach of the key.',
    args: { accountId: t.arg.string(accountId) },
    resolve: (_root, args, context) => describeKyb(context, args.accountId),
  }),
);

builder.mutationField('submitKyb', (t) =>
  t.withAuth({ partnerKey: true }).field({
    type: Kyb,
    description:
      'Sends some or all of what is asked for. With the last of it the KYB is `submitted`: a live account waits for a reviewer, a test account is decided at once (approved, but for values that say `reject`). 409 `invalid_state` while it is being reviewed, for what is approved already, and for a closed account.',
    args: {
      accountId: t.arg.string(accountId),
      input: t.arg({ type: SubmitKybInput, required: true, description: 'What is sent.' }),
    },
    resolve: (_root, args, context) => submitKyb(context, args.accountId, args.input),
  }),
);
