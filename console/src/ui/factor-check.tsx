import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePerson } from './person.tsx';
import { verifyAndReturn } from './sign-in.ts';

interface FactorCheckState {
  code: string;
  /** Why the code was not taken. */
  problem: string | undefined;
  isRunning: boolean;
  type(code: string): void;
  /** Whether the action may be sent again. */
  verify(): Promise<boolean>;
}

/** Verifies the second factor of the person again. A provider on another site does it on its own pages. */
export function useFactorCheck(): FactorCheckState {
  const { hasSecondFactor } = usePerson();
  const [code, type] = useState('');
  const [problem, setProblem] = useState<string>();
  const [isRunning, setIsRunning] = useState(false);
  const verify = async (): Promise<boolean> => {
    if (hasSecondFactor === null) return true;
    setIsRunning(true);
    const found = await problemOf(code);
    setIsRunning(false);
    setProblem(found);
    type('');
    return found === undefined;
  };
  return { code, problem, isRunning, type, verify };
}

/** Sends the code. Why it was not taken; undefined if it was. */
async function problemOf(code: string): Promise<string | undefined> {
  try {
    const response = await fetch('/idp/second-factor', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    if (response.ok) return undefined;
    const { message } = (await response.json()) as { message?: string }; // as every refusal
    return message ?? `The server responded with ${response.status}.`;
  } catch {
    return 'The server did not respond. Check your connection, then try again.';
  }
}

/** Asks for the code of the person, or leads to the provider. */
export function FactorCheck({ check: { code, problem, type } }: { check: FactorCheckState }) {
  const isElsewhere = usePerson().hasSecondFactor === null;
  return (
    <Alert color="yellow" title="Enter your two-factor code" role="alert">
      <Stack gap="xs">
        <Text size="sm">
          This action requires a two-factor code from the last ten minutes. No action was taken yet.{' '}
          {isElsewhere
            ? 'Sign in again in the tab that this opens, come back, and press the button below. Your input is kept.'
            : 'The action runs when the code is correct.'}
        </Text>
        {isElsewhere ? (
          // A new tab, so that what was typed here stays.
          <Button size="xs" component="a" href={verifyAndReturn()} target="_blank" rel="noreferrer">
            Sign in again
          </Button>
        ) : (
          <TextInput
            label="Code from your authenticator app, or a backup code"
            required
            data-autofocus
            autoFocus
            autoComplete="one-time-code"
            value={code}
            error={problem}
            onChange={({ currentTarget }) => type(currentTarget.value)}
          />
        )}
      </Stack>
    </Alert>
  );
}
