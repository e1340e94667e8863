import { AppShell, Burger, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useMode } from '../ui/mode.ts';
import { usePerson } from '../ui/person.tsx';
import { useTimeZone } from '../ui/time-zone.ts';
import { KeyboardHelp } from './help.tsx';
import { groups, sameListIn } from './navigation.ts';
import { PageGroupLinks } from './page-links.tsx';
import { Search } from './search.tsx';
import { SignOut } from './sign-out.tsx';
import { ZoneChoice } from './zone-choice.tsx';

const modes = [
  { name: 'test', label: 'Test' },
  { name: 'live', label: 'Live' },
] as const;

/** The frame of every page: where one is, in which mode and as whom. */
export function Layout() {
  const mode = useMode();
  const person = usePerson();
  const { pathname } = useLocation();
  const [isOpen, menu] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
      data-mode={mode}
    >
      <AppShell.Header className="top" data-mode={mode}>
        <Group h="100%" px={{ base: 'xs', sm: 'md' }} gap={8} justify="space-between" wrap="nowrap">
          <Group gap={8} wrap="nowrap">
            <Burger opened={isOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
            <Link to="/$mode" params={{ mode }} className="brand">
              <img src="/favicon.ico" alt="" width={24} height={24} />
              <span>Partner Payments</span>
            </Link>
          </Group>
          <Group gap={8} wrap="nowrap">
            <Search />
            <ZoneChoice />
            <KeyboardHelp />
            {/* biome-ignore lint/a11y/useSemanticElements: no fields of a form */}
            <div role="group" aria-label="Mode" className="modes">
              {modes.map(({ name, label }) => (
                <Link key={name} to={sameListIn(name, pathname)} aria-current={name === mode || undefined}>
                  {label}
                </Link>
              ))}
            </div>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <div className="scrolls">
          {groups.map((group) => (
            <PageGroupLinks key={group.name} group={group} onGo={menu.close} />
          ))}
        </div>
        <Stack gap={4} p="sm" mt="auto" className="signed-in">
          <Text size="sm" truncate>
            {person.email}
          </Text>
          <Text size="xs" c="dimmed">
            {person.platformRoles.join(', ') || 'no role'}
            {person.partnerSlug ? ` at ${person.partnerSlug}` : ''}
          </Text>
          <Group gap={6} wrap="nowrap">
            <Button
              component={Link}
              to={`/${mode}/me` as never}
              onClick={menu.close}
              variant="default"
              size="compact-sm"
              fz="xs"
              px={6}
              flex={1}
            >
              Profile
            </Button>
            <SignOut />
          </Group>
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main key={useTimeZone()}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
