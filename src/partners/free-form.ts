import { type InputIssue, InvalidInput } from '../kit/errors.ts';

/** Room for any branding; what grows patch by patch must end somewhere. */
export const freeFormCharactersMax = 65_536;

/** Refuses a free-form object of a partner that has become too large, by its name. */
export function assertFits(objects: Readonly<Record<string, unknown>>): void {
  const tooLarge = Object.entries(objects).filter(
    ([, value]) => value !== undefined && JSON.stringify(value).length > freeFormCharactersMax,
  );
  const issues: InputIssue[] = tooLarge.map(([path]) => ({
    path,
    message: `must have at most ${freeFormCharactersMax} characters as JSON`,
  }));
  if (issues.length > 0) throw new InvalidInput(issues);
}
