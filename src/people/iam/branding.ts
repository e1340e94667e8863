import { type InputIssue, InvalidInput } from '../../kit/errors.ts';
import { brandEntry, brandLanguage } from '../../look/brand.ts';
import { languages } from '../../look/languages.ts';

/** The key of a partner's branding with the page that its invitations redirect to. */
const redirectKey = 'invitationRedirectUrl';
const redirectLengthMax = 2_048;

/** The partner's own page for accepted invitations. A stored value that is not valid is treated as absent. */
export function brandRedirect(branding: unknown): string | undefined {
  return httpsUrl(brandEntry(branding, redirectKey));
}

/** Refuses branding, or a patch of it, in which a key that is used has another form. Null removes a key. */
export function assertBranding(branding: unknown): void {
  const issues: InputIssue[] = [];
  const check = (key: string, isValid: boolean, message: string): void => {
    if (brandEntry(branding, key) != null && !isValid) issues.push({ path: `branding.${key}`, message });
  };
  check(
    redirectKey,
    brandRedirect(branding) !== undefined,
    `must be an https address without a user, of at most ${redirectLengthMax} characters`,
  );
  check('language', brandLanguage(branding) !== undefined, `must be one of ${Object.keys(languages).join(', ')}`);
  if (issues.length > 0) throw new InvalidInput(issues);
}

function httpsUrl(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > redirectLengthMax || !URL.canParse(value)) return undefined;
  const { protocol, username, password, href } = new URL(value);
  return protocol === 'https:' && username === '' && password === '' ? href : undefined;
}
