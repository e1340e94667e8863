import { type InputIssue, InvalidInput } from '../../kit/errors.ts';

/** An object that grows by merge patches needs a limit. */
const freeFormCharactersMax = 65_536;

/** Refuses free-form objects that are too large, naming each. */
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
