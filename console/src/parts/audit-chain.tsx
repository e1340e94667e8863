import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../graph/ask.ts';
import { graphql } from '../graph/graphql.ts';
import { Id } from './facts.tsx';
import { Time } from './time.tsx';

const document = graphql(`
  query AuditHead {
    auditHead { anchor sequence lastVerification { at ok rows problem } }
  }
`);

/** The head of the audit log, to be kept elsewhere, and when the log was last verified. */
export function AuditChain() {
  const { data } = useQuery({ queryKey: ['auditHead'], queryFn: ({ signal }) => ask(document, {}, { signal }) });
  const head = data?.auditHead;
  if (!head) return null;
  const { lastVerification: verified } = head;
  return (
    <Text size="sm" component="div">
      Head <Id>{head.anchor}</Id>
      {verified ? (
        <>
          {' '}
          {verified.ok ? 'Verified' : `Broken: ${verified.problem ?? 'see audit:verify'}`} <Time at={verified.at} />
        </>
      ) : (
        ' Not verified yet: run npm run audit:verify.'
      )}
    </Text>
  );
}
