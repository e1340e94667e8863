import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { failureOf } from '../graph/failure.ts';

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

/** What was refused or failed, and what to do. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const failure = failureOf(error);
  const title: Record<string, string> = {
    FORBIDDEN: 'Your role does not allow this',
    NETWORK: 'No connection',
    SERVICE_UNAVAILABLE: 'The platform is not available for a moment',
    TOO_MANY_REQUESTS: 'Too many requests',
    NOT_AUTHORIZED: 'Your session has ended',
  };
  const heading = failure.code.endsWith('NOT_FOUND') ? 'Not found' : (title[failure.code] ?? 'This did not work');
  return (
    <Alert color={failure.code === 'FORBIDDEN' ? 'yellow' : 'red'} title={heading} role="alert" my="sm">
      <Text size="sm">{failure.message}</Text>
      {failure.issues.length > 0 && (
        <ul>
          {failure.issues.map(({ path, message }) => (
            <li key={`${path}${message}`}>
              <Code>{path}</Code> {message}
            </li>
          ))}
        </ul>
      )}
      <Group mt="xs" gap="sm">
        {failure.isSignedOut && (
          // A new tab, so that what was typed here stays.
          <Button size="xs" component="a" href="/idp/sign-in" target="_blank" rel="noreferrer">
            Sign in again
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
