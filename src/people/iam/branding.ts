import { type InputIssue, InvalidInput } from '../../kit/errors.ts';
import { brandEntry } from '../../look/brand.ts';

/** The key of a partner's branding with the page that its invitations redirect to. */
const redirectKey = 'invitationRedirectUrl';
const redirectLengthMax = 2_048;

/** The partner's own page for accepted invitations. A stored value that is not valid is treated as absent. */
export function brandRedirect(branding: unknown): string | undefined {
  return httpsUrl(brandEntry(branding, redirectKey));
}

/** Refuses branding, or a patch of it, whose redirect address is not one. Null removes it. */
export function assertBranding(branding: unknown): void {
  const given = brandEntry(branding, redirectKey);
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
