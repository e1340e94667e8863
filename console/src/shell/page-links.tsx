import { NavLink } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useMode } from '../ui/mode.ts';
import { usePerson } from '../ui/person.tsx';
import { offered, type PageGroup } from './navigation.ts';

/** The links of a group. It can be closed, unless it has the page that is shown; the browser remembers that. */
export function PageGroupLinks({ group: { name, icon: Icon, links }, onGo }: { group: PageGroup; onGo(): void }) {
  const mode = useMode();
  const { pathname } = useLocation();
  const [closed, setClosed] = useLocalStorage<string[]>({ key: 'platform.closed-groups', defaultValue: [] });
  const visible = offered(links, usePerson(), mode);
  const isAt = (path: string): boolean =>
    pathname === `/${mode}${path}` || (path !== '' && pathname.startsWith(`/${mode}${path}/`));
  const [only] = visible;
  if (!only) return null;
  if (visible.length === 1 && links.length === 1)
    return (
      <PageLink path={only.path} label={only.label} icon={<Icon aria-hidden />} isAt={isAt(only.path)} onGo={onGo} />
    );
  const isOpen = visible.some(({ path }) => isAt(path)) || !closed.includes(name);
  return (
    <NavLink
      component="button"
      label={name}
      leftSection={<Icon aria-hidden />}
      opened={isOpen}
      onChange={(next) => setClosed(next ? closed.filter((one) => one !== name) : [...closed, name])}
      className="page-group"
      childrenOffset={26}
    >
      {visible.map(({ label, path }) => (
        <PageLink key={path} path={path} label={label} isAt={isAt(path)} onGo={onGo} />
      ))}
    </NavLink>
  );
}

interface PageLinkProps {
  path: string;
  label: string;
  icon?: React.ReactNode;
  isAt: boolean;
  onGo(): void;
}

function PageLink({ path, label, icon, isAt, onGo }: PageLinkProps) {
  const mode = useMode();
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isAt) link.current?.scrollIntoView({ block: 'nearest' });
  }, [isAt]);
  return (
    <NavLink
      ref={link}
      label={label}
      leftSection={icon}
      component={Link}
      to={`/${mode}${path}` as never}
      activeOptions={{ exact: path === '' }}
      active={isAt}
      onClick={onGo}
      className="page-link"
    />
  );
}
