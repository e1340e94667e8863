import { Stack, TextInput, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Empty } from '../ui/loading-empty-failed.tsx';
import { usePageTitle } from '../ui/page-title.ts';
import { usePerson } from '../ui/person.tsx';
import { OwnStaff } from './own-staff.tsx';
import { Roster } from './roster.tsx';

/** The staff of the person's own partner, or of the one that internal staff name. */
export function Staff() {
  const { partnerSlug } = usePerson();
  usePageTitle('Staff');
  const { partner = '' }: { partner?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  return (
    <Stack>
      <Title order={1} size="h2">
        Staff
      </Title>
      {partnerSlug === null && (
        <TextInput
          label="Partner"
          placeholder="slug"
          defaultValue={partner}
          w={260}
          onBlur={({ currentTarget }) => void navigate({ to: '.', search: { partner: currentTarget.value } })}
          onKeyDown={({ key, currentTarget }) =>
            key === 'Enter' && void navigate({ to: '.', search: { partner: currentTarget.value } })
          }
        />
      )}
      {partnerSlug !== null && <OwnStaff slug={partnerSlug} />}
      {partnerSlug === null &&
        (partner === '' ? <Empty>Enter a partner slug to view its staff.</Empty> : <Roster slug={partner} />)}
    </Stack>
  );
}
