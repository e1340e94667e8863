import { networkOf } from '../../lib/network.ts';
import { countAddress, countAttempt, hourMs, noteCalls, quarterMs, takeBackAttempt } from '../../limits/windows.ts';
import type { Services } from '../../services.ts';

type Counting = Pick<Services, 'pool' | 'clock'>;

/**
 * How often a password or a code may be tried. An address is an IPv4 address or the /64 network of an IPv6 one.
 * Attempts of other addresses never block an address: after many wrong attempts, an account only allows fewer attempts
 * from each address.
 */
const signInRule = {
  /** Attempts of one address in a minute, including right ones, since each costs the work of a hash. */
  attemptsOfAddress: 200,
  /** Wrong attempts of one address in a quarter of an hour, for any accounts. */
  wrongOfAddress: 50,
  /** Wrong attempts of one address for one account in a quarter of an hour. */
  wrongOfAddressAndAccount: 10,
  /** Wrong attempts for one account in an hour, from all addresses. Above it, the next limit applies. */
  wrongOfAccount: 100,
  /** Wrong attempts of one address for such an account in a quarter of an hour. */
  wrongOfAddressAndSlowAccount: 3,
  /** Attempts in a minute, and wrong ones in a quarter of an hour, of a browser in which the account has signed in. */
  attemptsOfDevice: 20,
  wrongOfDevice: 10,
} as const;

/**
 * Runs an attempt to sign in to an account, by password or code; `guess` returns null for a wrong one. Every attempt is
 * counted before it is made, so that the limits also apply to concurrent ones. The count of a right one is taken back.
 * A browser in which the account has signed in (`device`) has limits of its own, so that the wrong attempts of others
 * behind the same address do not block it.
 */
export async function boundedGuess<Result>(
  services: Counting,
  { ip, account, device }: { ip: string; account: string; device: string | null },
  guess: () => Promise<Result | null>,
): Promise<Result | null> {
  const subjects = await (device === null
    ? countOfAddress(services, networkOf(ip), account.toLowerCase())
    : countOfDevice(services, device));
  const result = await guess();
  if (result !== null) for (const subject of subjects) await takeBackAttempt(services, subject);
  return result;
}

/** Returns what counts wrong attempts. */
async function countOfDevice(services: Counting, device: string): Promise<string[]> {
  const subject = `wrong/device/${device}`;
  await countAttempt(services, `sign-in/device/${device}`, signInRule.attemptsOfDevice);
  await countAttempt(services, subject, signInRule.wrongOfDevice, quarterMs);
  return [subject];
}

async function countOfAddress(services: Counting, address: string, name: string): Promise<string[]> {
  const subjects = {
    ofAddress: `wrong/address/${address}`,
    ofAccount: `wrong/account/${name}`,
    ofBoth: `wrong/${address}/${name}`,
  };
  const rule = signInRule;
  await countAddress(services, 'sign-in', address, rule.attemptsOfAddress);
  await countAttempt(services, subjects.ofAddress, rule.wrongOfAddress, quarterMs);
  const isSlow = (await noteCalls(services, subjects.ofAccount, hourMs)) > rule.wrongOfAccount;
  const max = isSlow ? rule.wrongOfAddressAndSlowAccount : rule.wrongOfAddressAndAccount;
  await countAttempt(services, subjects.ofBoth, max, quarterMs);
  return Object.values(subjects);
}
