import { Code, CopyButton, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';

/** A card with a heading. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" radius="md" component="section">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" className="section-title">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}

type FactList = readonly (readonly [name: string, value: ReactNode])[];

/** Names with their values. Facts without a value are left out. */
export function Facts({ of }: { of: FactList }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0}>
              {value}
            </Text>
          </div>
        ))}
    </dl>
  );
}

/** The facts of an object beside what belongs to it; above it on a narrow screen. */
export function WithFacts({ title, of, children }: { title: string; of: FactList; children: ReactNode }) {
  return (
    <div className="with-facts">
      <Section title={title}>
        <Facts of={of} />
      </Section>
      <Stack gap="md">{children}</Stack>
    </div>
  );
}

/** An identifier that a click copies. `shown`: its beginning, if it is long. */
export function Id({ children, shown = children }: { children: string; shown?: string }) {
  return (
    <CopyButton value={children}>
      {({ copied, copy }) => (
        <UnstyledButton onClick={copy} title={shown === children ? 'Copy' : `Copy ${children}`} className="identifier">
          <Code>{shown}</Code>
          <Text component="span" size="xs" c="dimmed" aria-live="polite">
            {copied ? ' copied' : ''}
          </Text>
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
