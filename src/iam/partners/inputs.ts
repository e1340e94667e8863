import { builder } from '../../graph/builder.ts';
import { exactlyOneOf, notNull } from '../../graph/input/rules.ts';
import { described, PartnerStatus } from './types.ts';

const brandingKeys =
  'Pages and mail use these keys. `displayName`: the name that is shown. `primaryColor`: `#rgb` or `#rrggbb`. ' +
  '`logoImage`: a PNG, JPEG or WebP image as a data URL, of at most 32,768 bytes, 16 to 2,048 pixels wide and high; ' +
  'it is read as the path of the image on this server. `language`: `en` or `de`, the language of invitations. ' +
  '`emailFooter`: the last line of invitations. `invitationRedirectUrl`: an https address without a user.';

export const CreatePartnerInput = builder.inputType('CreatePartnerInput', {
  description: 'A partner to be created.',
  fields: (t) => ({
    name: t.field({ type: 'Name', required: true, description: described.name }),
    slug: t.field({
      type: 'Slug',
      required: true,
      description: 'Slug of the partner. 409 `slug_taken` if any partner has it, archived partners included.',
    }),
    status: t.field({
      type: PartnerStatus,
      defaultValue: 'active',
      description: 'The first status. `offboarded` is refused.',
    }),
    branding: t.field({
      type: 'JSONObject',
      description:
        `Free-form object of at most 65,536 characters as JSON without its logo. ${brandingKeys} Defaults to an ` +
        'empty object.',
    }),
    preferences: t.field({
      type: 'JSONObject',
      description: 'Free-form object of at most 65,536 characters as JSON. Defaults to an empty object.',
    }),
    commercialTerms: t.field({
      type: 'JSONObject',
      description: 'Free-form object of at most 65,536 characters as JSON. Defaults to an empty object.',
    }),
    adminEmails: t.field({
      type: ['Email'],
      description:
        'Email addresses to invite with the role `partneradmin`, at most 50. An invitation that fails is reported ' +
        'in the answer and does not revert the others or the partner.',
    }),
  }),
});

export const UpdatePartnerInput = builder.inputType('UpdatePartnerInput', {
  ...exactlyOneOf('id', 'slug'),
  description:
    'Changes of a partner, which is named by exactly one of `id` and `slug`. At least one field must be changed.',
  fields: (t) => ({
    id: t.id({ description: described.id }),
    slug: t.field({ type: 'Slug', description: 'Slug of the partner, in place of `id`. It cannot be changed.' }),
    name: t.field({ ...notNull, type: 'Name', description: 'New name of the partner.' }),
    status: t.field({
      ...notNull,
      type: PartnerStatus,
      description:
        'New status. `offboarded` archives the partner and requires the role `superadmin`; an archived partner ' +
        'cannot get another status (409 `partner_offboarded`).',
    }),
    branding: t.field({
      type: 'JSONObject',
      description:
        'JSON merge patch (RFC 7396): null removes a key. The merged object may have at most 65,536 characters as ' +
        `JSON without its logo. ${brandingKeys}`,
    }),
    preferences: t.field({
      type: 'JSONObject',
      description:
        'JSON merge patch (RFC 7396): null removes a key. The merged object may have at most 65,536 characters as ' +
        'JSON.',
    }),
    commercialTerms: t.field({
      type: 'JSONObject',
      description:
        'JSON merge patch (RFC 7396): null removes a key. The merged object may have at most 65,536 characters as ' +
        'JSON.',
    }),
  }),
});

export const AssignOrganizationInput = builder.inputType('AssignOrganizationInput', {
  description:
    'An organization, named by exactly one of `accountId` and `organizationId`, and its new partner, named by ' +
    'exactly one of `partnerId` and `partnerSlug`.',
  fields: (t) => ({
    accountId: t.id({ description: 'Identifier of the organization, prefix `acc_`.' }),
    organizationId: t.id({
      description: 'Identifier of the organization at the identity provider, prefix `org_`.',
    }),
    partnerId: t.id({ description: 'Identifier of the partner, prefix `par_`, or null to remove the tag.' }),
    partnerSlug: t.field({ type: 'Slug', description: 'Slug of the partner, or null to remove the tag.' }),
  }),
});
