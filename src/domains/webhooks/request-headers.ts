import { platformVersion } from '../../runtime/version.ts';

/** The headers that every request to a receiver has. */
export const contentHeaders = {
  'Content-Type': 'application/json',
  'User-Agent': `partner-payments-platform/${platformVersion()}`,
} as const;
