import { type InputIssue, InvalidInput } from '../../kit/errors.ts';

/** The key of a partner's branding with the page that its invitations redirect to. */
const redirectKey = 'invitationRedirectUrl';
const redirectLengthMax = 2_048;

/** Branding is free-form: a value that is not a string of at most 500 characters is treated as absent. */
export function brandText(branding: unknown, name: string): string | undefined {
  const value = entryOf(branding, name);
  return typeof value === 'string' && value.trim() !== '' && value.length <= 500 ? value : undefined;
}

export function brandColor(branding: unknown): string | undefined {
  const color = brandText(branding, 'primaryColor');
  return color !== undefined && /^#[0-9a-fA-F]{3,8}$/.test(color) ? color : undefined;
}

/** The partner's own page for accepted invitations. A stored value that is not valid is treated as absent. */
export function brandRedirect(branding: unknown): string | undefined {
  return httpsUrl(entryOf(branding, redirectKey));
}

/** Refuses branding, or a patch of it, whose redirect address is not one. Null removes it. */
export function assertBranding(branding: unknown): void {
  const given = entryOf(branding, redirectKey);
  if (given == null || httpsUrl(given) !== undefined) return;
  const issue: InputIssue = {
    path: `branding.${redirectKey}`,
    message: `must be an https address without a user, of at most ${redirectLengthMax} characters`,
  };
  throw new InvalidInput([issue]);
}

function httpsUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > redirectLengthMax || !URL.canParse(value)) return undefined;
  const { protocol, username, password, href } = new URL(value);
  return protocol === 'https:' && username === '' && password === '' ? href : undefined;
}

function entryOf(branding: unknown, name: string): unknown {
  return typeof branding === 'object' && branding !== null
    ? Object.entries(branding).find(([key]) => key === name)?.[1]
    : undefined;
}
