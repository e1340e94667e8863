import { Alert, Button, Code, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { type Failure, failureOf } from '../graph/failure.ts';
import { signInAndReturn } from './sign-in.ts';

export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={34} radius="sm" />
      ))}
    </Stack>
  );
}

export function Empty({ children }: { children: string }) {
  return (
    <Text c="dimmed" size="sm" py="lg" ta="center">
      {children}
    </Text>
  );
}

/** A page whose object is not there, or that the person may not read, which is the same to them. */
export function Missing({ children }: { children: string }) {
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        Not found
      </Title>
      <Text>{children} Check the address, or find it with Ctrl K.</Text>
    </Stack>
  );
}

/** What was refused or failed, and what to do. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const failure = failureOf(error);
  const { heading, text } = inPlainWords(failure);
  return (
    <Alert color={failure.code === 'FORBIDDEN' ? 'yellow' : 'red'} title={heading} role="alert" my="sm">
      <Text size="sm">{text}</Text>
      {failure.issues.length > 0 && !failure.isOutdated && (
        <ul>
          {failure.issues.map(({ path, message }) => (
            <li key={`${path}${message}`}>
              <Code>{path}</Code> {message}
            </li>
          ))}
        </ul>
      )}
      <Group mt="xs" gap="sm">
        {(failure.isSignedOut || failure.isOfAnotherUser) && (
          // A new tab, so that what was typed here stays.
          <Button size="xs" component="a" href={signInAndReturn()} target="_blank" rel="noreferrer">
            Sign in again
          </Button>
        )}
        {(failure.isOfAnotherUser || failure.isOutdated) && (
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
        {failure.requestId && (
          <Text size="xs" c="dimmed">
            Request <Code>{failure.requestId}</Code>
          </Text>
        )}
      </Group>
    </Alert>
  );
}

const headings: Record<string, string> = {
  FORBIDDEN: 'Your role does not allow this',
  NETWORK: 'No connection',
  SERVICE_UNAVAILABLE: 'Temporarily unavailable',
  TOO_MANY_REQUESTS: 'Too many requests',
};

/** What happened, and what to do about it. */
function inPlainWords(failure: Failure): { heading: string; text: string } {
  if (failure.isSignedOut)
    return {
      heading: 'Your session has ended',
      text: 'Sign in again in the tab that this opens, come back, and try again. Your input is kept.',
    };
  if (failure.isOfAnotherUser)
    return {
      heading: 'Signed in as another user',
      text:
        'Another user has signed in with this browser since the page was opened. No action was taken. Sign in again as ' +
        'yourself and try again, or reload the page as the other user. Unsaved input is then lost.',
    };
  if (failure.reason === 'second_factor_required')
    return {
      heading: 'Two-factor authentication required',
      text: 'No action was taken. Set up two-factor authentication in Profile, in another tab, then try again. Your input is kept.',
    };
  if (failure.isOutdated)
    return {
      heading: 'Outdated page',
      text: 'The console was updated. Copy unsaved text, then reload the page.',
    };
  const heading = failure.code.endsWith('NOT_FOUND') ? 'Not found' : headings[failure.code];
  return { heading: heading ?? 'Request failed', text: failure.message };
}
