import { Box, Stack, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Empty } from '../ui/loading-empty-failed.tsx';
import { ObjectPicker } from '../ui/object-picker.tsx';
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
        <Box w={260}>
          <ObjectPicker
            kind="partner"
            label="Partner"
            value={partner}
            onChange={(slug) => void navigate({ to: '.', search: { partner: slug } })}
          />
        </Box>
      )}
      {partnerSlug !== null && <OwnStaff slug={partnerSlug} />}
      {partnerSlug === null &&
        (partner === '' ? <Empty>Choose a partner to view its staff.</Empty> : <Roster slug={partner} />)}
    </Stack>
  );
}
