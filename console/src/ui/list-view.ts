import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Search } from './list-definition.ts';

/** The filters, order and page of each list as it was last shown, by its path with the mode. */
const views = new Map<string, Search>();

/** Notes how a list is shown, for the way back to it. */
export function useListView(search: Search): void {
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    views.set(pathname, search);
  }, [pathname, search]);
}

/** The list as it was last shown; without filters if it was not shown in this tab. */
export const lastView = (path: string): Search => views.get(path) ?? {};
