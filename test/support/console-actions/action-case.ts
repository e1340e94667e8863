import type { SignedIn } from '../../iam/people.ts';

/** A dialog of the console that sends a mutation. */
export interface ActionCase {
  /** The name of the operation in the sources of the console. */
  mutation: string;
  /** What the button says. */
  name: string;
  path: string;
  /** A text of the table row that the button stands in. */
  row?: string;
  /** What is typed, by label. A value of null is a radio button or a switch to be pressed. */
  typed?: Record<string, string | null>;
  /** Runs after the others, since it changes what another action needs. */
  isLast?: true;
  /** Whether everybody may do it, so that no role can be taken away. */
  takesNoRole?: true;
  /** What another person does between opening and sending. */
  meanwhile?: {
    happens(): Promise<unknown>;
    /** What the dialog says about that. */
    says: RegExp;
    /** Whether the action is refused from then on. */
    isOver?: true;
  };
}

/** Runs a mutation as a user, and fails the test if it is refused. */
export async function does(person: SignedIn, mutation: string): Promise<any> {
  const { data, errors } = await person.graphql(`mutation { ${mutation} }`);
  if (errors) throw new Error(`${mutation}: ${JSON.stringify(errors)}`);
  return Object.values(data)[0];
}
