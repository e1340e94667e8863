import type { Config } from '../../runtime/config.ts';

/** Where the cardholder answers a challenge in test mode. */
export function challengeUrlOf(config: Config): (sessionId: string) => string {
  return (sessionId) => `${config.publicUrl}/test/3ds/${sessionId}`;
}
