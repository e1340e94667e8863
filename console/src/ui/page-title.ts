import { useDocumentTitle } from '@mantine/hooks';
import { useMode } from './mode.ts';

/** Names the tab of the browser. Of objects by identifiers alone: a history keeps no names of people. */
export function usePageTitle(title: string): void {
  useDocumentTitle(`${title} · ${useMode()} · Partner Payments`);
}
