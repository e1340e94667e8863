import { execute, type Queryable, sql } from '../../database/sql.ts';
import type { Clock, ClockCheck } from '../../lib/clock.ts';
import { storable } from '../../lib/text.ts';
import {
  answerOf,
  type Client,
  checkCode,
  cookieSelector,
  hashing,
  headersOf,
  type IssuedReset,
  isUnused,
  type LazyEngine,
  resetIssuedBy,
  takeCode,
} from './engine-calls.ts';

/** A request of a signed-in user. */
type OwnClient = Client & { cookie: string };

interface NewSecondFactor {
  /** The URI for an authenticator app. It contains the secret. */
  uri: string;
  backupCodes: string[];
}

/** The operations of a signed-in user on their own account. Null if the password or the code is wrong. */
export interface OwnAccount {
  /** Ends every session of the user, and returns the cookie of a new one. */
  changePassword(present: string, next: string, client: OwnClient): Promise<{ setCookies: string[] } | null>;
  /** A token for choosing another password; null without an account. */
  requestPasswordReset(email: string): Promise<IssuedReset | null>;
  /** The user of a token; null if it was used, has expired or does not exist. */
  findPasswordReset(token: string): Promise<string | null>;
  /** Uses the token, and ends every session of the user and every other link. False as above. */
  resetPassword(token: string, password: string): Promise<boolean>;
  /** Creates a secret and backup codes, which are returned only once. In force once `confirm` is called. */
  enableSecondFactor(password: string, client: OwnClient): Promise<NewSecondFactor | 'is_enabled' | null>;
  /** Ends every session of the user, and returns the cookie of a new one. */
  confirmSecondFactor(code: string, client: OwnClient): Promise<{ setCookies: string[] } | null>;
  /**
   * Verifies the second factor of a session again, by a code of the authenticator app or a backup code, and notes the
   * time. False if the code is not accepted, or if there is no second factor.
   */
  verifySecondFactor(code: string, client: OwnClient): Promise<boolean>;
  /** The same for the removal of the second factor. */
  disableSecondFactor(password: string, client: OwnClient): Promise<{ setCookies: string[] } | null>;
  /** Creates backup codes that replace the current ones. */
  renewBackupCodes(password: string, client: OwnClient): Promise<string[] | null>;
}

export function createOwnAccount(
  engine: LazyEngine,
  pool: Queryable,
  { publicUrl, clock, machine }: { publicUrl: string; clock: Clock; machine: ClockCheck },
): OwnAccount {
  const select = cookieSelector(publicUrl);
  const sessionHeaders = (client: OwnClient): Headers =>
    headersOf({ ...client, cookie: select(client.cookie, 'session_token') });
  /** Ends every session of the user except the new one of these cookies. */
  async function onlySession(setCookies: string[]): Promise<{ setCookies: string[] }> {
    const cookie = setCookies.map((line) => line.split(';')[0]).join('; ');
    await (await engine()).api.revokeOtherSessions({ headers: new Headers({ cookie }) });
    return { setCookies };
  }
  const resetIdOf = (token: string): string => `reset-password:${token}`;

  return {
    async changePassword(currentPassword, newPassword, client) {
      const body = { currentPassword, newPassword, revokeOtherSessions: true };
      const answer = await answerOf(() =>
        hashing(client.ip, async () =>
          (await engine()).api.changePassword({ body, headers: sessionHeaders(client), asResponse: true }),
        ),
      );
      return answer.ok ? { setCookies: answer.setCookies } : null;
    },

    requestPasswordReset: (email) =>
      resetIssuedBy(async () => (await engine()).api.requestPasswordReset({ body: { email: email.toLowerCase() } })),

    async findPasswordReset(token) {
      if (!storable(token)) return null;
      const { internalAdapter } = await (await engine()).$context;
      const found = await internalAdapter.findVerificationValue(resetIdOf(token));
      return found && found.expiresAt > machine.earliest() ? found.value : null;
    },

    async resetPassword(token, newPassword) {
      const userId = await this.findPasswordReset(token);
      if (userId === null) return false;
      const answer = await answerOf(() =>
        hashing('reset', async () =>
          (await engine()).api.resetPassword({ body: { token, newPassword }, asResponse: true }),
        ),
      );
      if (!answer.ok) return false;
      // Someone who knew the old password may have requested links, started to sign in, or used up the codes.
      await execute(pool, sql`DELETE FROM verification WHERE value = ${userId}`);
      await forgetWrongCodes(pool, userId);
      return true;
    },

    async enableSecondFactor(password, client) {
      const body = { password, method: 'totp' as const };
      const answer = await answerOf(() =>
        hashing(client.ip, async () =>
          (await engine()).api.enableTwoFactor({ body, headers: sessionHeaders(client), asResponse: true }),
        ),
      );
      if (!answer.ok) return answer.code === 'TOTP_ALREADY_ENABLED' ? 'is_enabled' : null;
      const { totpURI: uri, backupCodes } = answer.body as { totpURI: string; backupCodes: string[] }; // as documented
      return { uri, backupCodes };
    },

    async confirmSecondFactor(code, client) {
      const headers = sessionHeaders(client);
      const before = await (await engine()).api.getSession({ headers });
      if (!before || ('twoFactorEnabled' in before.user && before.user.twoFactorEnabled === true)) return null;
      const answer = await answerOf(async () =>
        (await engine()).api.verifyTOTP({ body: { code }, headers, asResponse: true }),
      );
      if (!answer.ok || !(await takeCode(await engine(), before.user.id, code))) return null;
      const made = await onlySession(answer.setCookies);
      await execute(pool, sql`UPDATE session SET "secondFactorAt" = ${clock.now()} WHERE "userId" = ${before.user.id}`);
      return made;
    },

    async verifySecondFactor(code, client) {
      const headers = sessionHeaders(client);
      const found = await (await engine()).api.getSession({ headers });
      if (!found || !('twoFactorEnabled' in found.user && found.user.twoFactorEnabled === true)) return false;
      const { id: userId } = found.user;
      // With a session the engine counts no wrong codes. They count as those of a sign-in do.
      if (!(await countWrongCode(pool, userId, machine.now()))) return false;
      const answer = await checkCode(await engine(), code, headers);
      if (!answer.ok || !(await isUnused(await engine(), userId, code))) return false;
      await forgetWrongCodes(pool, userId);
      await execute(pool, sql`UPDATE session SET "secondFactorAt" = ${clock.now()} WHERE id = ${found.session.id}`);
      return true;
    },

    async disableSecondFactor(password, client) {
      const answer = await answerOf(() =>
        hashing(client.ip, async () =>
          (await engine()).api.disableTwoFactor({
            body: { password },
            headers: sessionHeaders(client),
            asResponse: true,
          }),
        ),
      );
      return answer.ok ? onlySession(answer.setCookies) : null;
    },

    async renewBackupCodes(password, client) {
      const answer = await answerOf(() =>
        hashing(client.ip, async () =>
          (await engine()).api.generateBackupCodes({
            body: { password },
            headers: sessionHeaders(client),
            asResponse: true,
          }),
        ),
      );
      return answer.ok ? (answer.body as { backupCodes: string[] }).backupCodes : null; // as documented
    },
  };
}

/** After these wrong codes in a row, none is accepted for a quarter of an hour: the engine's figures. */
const wrongCodesMax = 10;
const lockedMs = 900_000;

/** Counts a code as wrong before it is checked. False while no code of the user is accepted. */
async function countWrongCode(db: Queryable, userId: string, now: Date): Promise<boolean> {
  const count = sql`CASE WHEN "lockedUntil" IS NULL THEN coalesce("failedVerificationCount", 0) + 1 ELSE 1 END`;
  const lockedUntil = new Date(now.getTime() + lockedMs);
  const counted = await execute(
    db,
    sql`
      UPDATE "twoFactor"
      SET "failedVerificationCount" = ${count},
        "lockedUntil" = CASE WHEN ${count} >= ${wrongCodesMax}::int THEN ${lockedUntil}::timestamptz END
      WHERE "userId" = ${userId} AND ("lockedUntil" IS NULL OR "lockedUntil" <= ${now})`,
  );
  return counted === 1;
}

async function forgetWrongCodes(db: Queryable, userId: string): Promise<void> {
  await execute(
    db,
    sql`
      UPDATE "twoFactor"
      SET "failedVerificationCount" = 0, "lockedUntil" = NULL
      WHERE "userId" = ${userId}`,
  );
}

/** Removes the second factor of a user who has lost it, and ends their sessions. */
export async function resetSecondFactor(db: Queryable, userId: string): Promise<boolean> {
  if ((await execute(db, sql`DELETE FROM "twoFactor" WHERE "userId" = ${userId}`)) === 0) return false;
  await execute(db, sql`UPDATE "user" SET "twoFactorEnabled" = false WHERE id = ${userId}`);
  await execute(db, sql`DELETE FROM verification WHERE value = ${userId}`);
  await execute(db, sql`DELETE FROM session WHERE "userId" = ${userId}`);
  return true;
}
