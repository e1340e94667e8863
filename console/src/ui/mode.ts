import { useParams } from '@tanstack/react-router';

export type Mode = 'test' | 'live';

export function isMode(text: string): text is Mode {
  return text === 'test' || text === 'live';
}

/** The mode in the path of the page. */
export function useMode(): Mode {
  const { mode } = useParams({ strict: false });
  return mode === 'live' ? 'live' : 'test';
}
