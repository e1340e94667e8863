import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { leave } from './leave.ts';

/** The button that signs out, and what it says if that fails. */
export function SignOut() {
  const [state, setState] = useState<'idle' | 'running' | 'failed'>('idle');
  const signOut = async (): Promise<void> => {
    setState('running');
    if (!(await leave())) setState('failed');
  };
  return (
    <Stack gap={4}>
      <Button
        variant="default"
        size="compact-sm"
        fz="xs"
        px={6}
        loading={state === 'running'}
        onClick={() => void signOut()}
      >
        Sign out
      </Button>
      {state === 'failed' && (
        <Text size="xs" role="alert">
          Sign-out failed: the server did not respond. Try again.
        </Text>
      )}
    </Stack>
  );
}
