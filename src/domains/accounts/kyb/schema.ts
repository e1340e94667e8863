import { visible } from '../../../auth/visible.ts';
import type { Context, ViewerContext } from '../../../call/context.ts';
import { builder } from '../../../graph/builder.ts';
import { choiceScalar, defineScalar } from '../../../graph/scalars/define-scalar.ts';
import { platformAccountIdArgument } from '../../../graph/shared-types.ts';
import { objectOfPeople } from '../../../lists/inputs.ts';
import type { AccountRow } from '../account-rows.ts';
import { Account, KybStatusEnum } from '../types.ts';
import { type KybObject, type KybView, readKyb } from './kyb-rows.ts';
import {
  type KybCategory as CategoryOfKyb,
  isKybValue,
  type KybCode,
  type KybValue,
  kybCodes,
  kybFieldMax,
  kybFieldNameMax,
  kybFieldsMax,
  kybTextMax,
  type RequirementStatus,
} from './lifecycle.ts';
import { submitKyb } from './submit-kyb.ts';

const KybItemInput = builder.inputType('KybItemInput', {
  description: 'The value of one requirement.',
  fields: (t) => ({
    code: t.field({ type: 'KybCode', required: true, description: 'The code of the requirement.' }),
    value: t.field({
      type: 'KybValue',
      required: true,
      description: 'The value to submit. Replaces a value that was submitted before.',
    }),
  }),
});

export const SubmitKybInput = builder.inputType('SubmitKybInput', {
  description: 'The values to submit, for all requirements or some of them.',
  fields: (t) => ({
    items: t.field({
      type: [KybItemInput],
      required: true,
      description: 'At least one item, with each code at most once.',
    }),
  }),
});

declare module '../../../graph/scalars/define-scalar.ts' {
  interface ScalarTypes {
    KybCode: { Input: KybCode; Output: string };
    KybValue: { Input: KybValue; Output: KybValue };
  }
}

defineScalar('KybCode', choiceScalar('The code of a KYB requirement.', kybCodes));

const shape =
  `a string of 1 to ${kybTextMax} characters that is not blank, or an object of 1 to ${kybFieldsMax} fields with ` +
  `names of at most ${kybFieldNameMax} characters, each a string of at most ${kybFieldMax} characters, a number, ` +
  'true, false or null';

defineScalar('KybValue', {
  description:
    `The value submitted for a KYB requirement: ${shape}. Its content is checked by a reviewer only. It is stored ` +
    `encrypted and not returned to API keys. In test mode the string \`reject\` causes the requirement to be rejected.`,
  jsonSchema: {
    oneOf: [
      { type: 'string', minLength: 1, maxLength: kybTextMax },
      {
        type: 'object',
        minProperties: 1,
        maxProperties: kybFieldsMax,
        additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
      },
    ],
    examples: ['Corner Shop Ltd'],
  },
  expected: `must be ${shape}`,
  parse: (value) => (isKybValue(value) ? value : undefined),
});

const KybRequirementStatus = builder.enumType('KybRequirementStatus', {
  description: 'The state of one KYB requirement.',
  values: {
    missing: { description: 'Nothing has been submitted.' },
    submitted: { description: 'A value has been submitted and awaits review.' },
    approved: { description: 'A reviewer approved the submitted value.' },
    rejected: { description: 'A reviewer rejected the submitted value. Another one can be submitted.' },
  } as const satisfies Record<RequirementStatus, object>,
});

const KybCategory = builder.enumType('KybCategory', {
  description: 'The subject of a KYB requirement.',
  values: {
    business: { description: 'The business.' },
    representative: { description: 'The person who represents it.' },
    banking: { description: 'The bank account for payouts.' },
    documents: { description: 'Documents.' },
  } as const satisfies Record<CategoryOfKyb, object>,
});

/** A requirement with the value submitted for it, if a reviewer revealed the values. */
type ShownRequirement = KybObject['requirements'][number] & { value: KybValue | null };

const KybRequirement = builder.objectRef<ShownRequirement>('KybRequirement').implement({
  description: 'One item of information or one document that a business must submit.',
  fields: (t) => ({
    code: t.expose('code', { type: 'KybCode', description: 'The code of the requirement.' }),
    category: t.expose('category', { type: KybCategory, description: 'The subject of the requirement.' }),
    description: t.exposeString('description', { description: 'What to submit, as an English sentence.' }),
    required: t.exposeBoolean('required', {
      description: 'Whether the KYB can be submitted only with this item. Currently always true.',
    }),
    status: t.expose('status', { type: KybRequirementStatus, description: 'The state of the requirement.' }),
    rejectionReason: t.exposeString('rejectionReason', {
      nullable: true,
      description: 'The reason for which a reviewer rejected the value. Null unless the status is `rejected`.',
    }),
    submittedAt: t.expose('submittedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the latest submission. Null if nothing has been submitted.',
    }),
    reviewedAt: t.expose('reviewedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the decision. Null before it, and again after another value is submitted.',
    }),
    value: t.expose('value', {
      type: 'KybValue',
      nullable: true,
      authScopes: { hub: true },
      description: 'The submitted value. Null in every answer but that of `revealKyb`, and if nothing was submitted.',
    }),
  }),
});

export const Kyb = builder.objectRef<KybView>('Kyb').implement({
  description: 'The verification of a business: its status and its requirements.',
  fields: (t) => ({
    platformAccountId: t.exposeID('platformAccountId', {
      description: 'Identifier of the processing account, prefix `tpa_`.',
    }),
    account: t.field({
      type: Account,
      description: 'The account, with its status.',
      resolve: accountOf,
    }),
    kybStatus: t.field({
      type: KybStatusEnum,
      resolve: ({ kybStatus }) => kybStatus,
      description:
        'The status of the KYB. It changes `not_started` → `in_progress` → `submitted` → `approved` or `rejected`; ' +
        '`rejected` can become `submitted` again.',
    }),
    requirements: t.field({
      type: [KybRequirement],
      description: 'All requirements, in a fixed order.',
      resolve: ({ requirements, values }) =>
        requirements.map((shown) => ({ ...shown, value: values?.get(shown.code) ?? null })),
    }),
    submittedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time of the submission. Null if the KYB is not awaiting review.',
      resolve: async (kyb, _args, context) => (await accountOf(kyb, {}, context)).kybSubmittedAt,
    }),
  }),
});

async function accountOf(
  { account, platformAccountId }: KybView,
  _args: object,
  context: Context,
): Promise<AccountRow> {
  return account ?? visible(context as ViewerContext, 'processingAccount', platformAccountId); // the scopes of what answers a Kyb
}

builder.queryField('kyb', (t) =>
  t.withAuth({ $any: { suspendedKey: true, directory: true } }).field({
    type: Kyb,
    description: 'Retrieves the KYB of an account. 404 if the account is not visible to the API key.',
    forPeople: `${objectOfPeople} The submitted values are returned by \`revealKyb\` only.`,
    args: { platformAccountId: t.arg.id(platformAccountIdArgument) },
    resolve: (_root, args, context) => readKyb(context, args.platformAccountId),
  }),
);

builder.mutationField('submitKyb', (t) =>
  t.withAuth({ partnerKey: true }).field({
    type: Kyb,
    description:
      'Submits the values of some or all requirements. Once no required one is missing the KYB is `submitted`: a ' +
      'live account awaits review, and a test account is decided immediately (approved, except requirements whose ' +
      'value is `reject`). 409 `invalid_state` while the KYB is under review, for requirements that are approved ' +
      'already, and for a closed account.',
    args: {
      platformAccountId: t.arg.id(platformAccountIdArgument),
      input: t.arg({ type: SubmitKybInput, required: true, description: 'The values to submit.' }),
    },
    resolve: (_root, args, context) => submitKyb(context, args.platformAccountId, args.input),
  }),
);
