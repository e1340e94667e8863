import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';

/** Ends the session of this browser, and leads to where one signs in. */
export function SignOut() {
  const [state, setState] = useState<'idle' | 'running' | 'failed'>('idle');
  const signOut = async (): Promise<void> => {
    setState('running');
    const response = await fetch('/idp/sign-out', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    }).catch(() => null);
    if (response?.ok) window.location.assign(`/idp/sign-in?redirect=${encodeURIComponent('/console/')}`);
    else setState('failed');
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
