import { RateLimited } from '../lib/errors.ts';
import { countInWindow } from '../limits/sliding-window.ts';
import { dayMs, hourMs } from '../limits/windows.ts';
import type { Services } from '../services.ts';

type Counting = Pick<Services, 'pool' | 'clock'>;

/** `left` is the number of mails that may follow; -1 if this one must not be sent. */
interface Allowance {
  left: number;
  retryAfterS: number;
}

async function countMail(services: Counting, subject: string, max: number, windowMs: number): Promise<Allowance> {
  const { at, before } = await countInWindow(services, `mail/${subject}`, max, windowMs);
  const oldest = before.at(-max) ?? at;
  const retryAfterS = Math.ceil((oldest.getTime() + windowMs - at.getTime()) / 1000);
  return { left: max - before.length - 1, retryAfterS: Math.max(1, retryAfterS) };
}

/** For each kind of mail apart, so that one does not use up the allowance of another. */
const hourMax = 5;
const dayMax = 50;

/**
 * Counts an invitation before it is made: at most 5 in an hour to an email address, from all partners, and 50 in 24
 * hours from a partner. Throws 429 above it.
 */
export async function countInvitation(services: Counting, partnerSlug: string, email: string): Promise<void> {
  const bounds = [
    [`invitation/of/${partnerSlug}`, dayMax, dayMs, `A partner may send ${dayMax} invitations in 24 hours`],
    [
      `invitation/to/${email.toLowerCase()}`,
      hourMax,
      hourMs,
      `An email address may get ${hourMax} invitations an hour`,
    ],
  ] as const;
  for (const [subject, max, windowMs, rule] of bounds) {
    const { left, retryAfterS } = await countMail(services, subject, max, windowMs);
    if (left < 0) throw new RateLimited(retryAfterS, {}, rule);
  }
}

/** Counts a link to choose another password. False if the address has got 5 in the last hour. */
export async function mayMailReset(services: Counting, email: string): Promise<boolean> {
  return (await countMail(services, `reset/to/${email.toLowerCase()}`, hourMax, hourMs)).left >= 0;
}

/**
 * Counts a notice of a kind about a partner, the platform or a person: at most 5 in an hour and 50 in 24 hours. The
 * number that may follow, or -1.
 */
export async function countNotice(services: Counting, kind: string, about: string): Promise<number> {
  const ofHour = await countMail(services, `notice/${kind}/hour/${about}`, hourMax, hourMs);
  if (ofHour.left < 0) return -1;
  const ofDay = await countMail(services, `notice/${kind}/day/${about}`, dayMax, dayMs);
  return Math.min(ofHour.left, ofDay.left);
}
