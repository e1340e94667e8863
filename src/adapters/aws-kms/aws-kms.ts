import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import type { KeyWrapper } from '../../ports/key-wrapper.ts';
import { ConfigError, type KmsConfig } from '../../runtime/config.ts';
import { reasonOf, TookTooLong } from './failures.ts';

/** What KMS encrypts in one call. */
const textMaxBytes = 4096;

/**
 * AWS KMS through its official client, which finds credentials and a region as every tool of AWS does, and repeats what
 * was throttled. A symmetric key encrypts; the setting is the encryption context, so that what was wrapped for one is
 * refused for another, and the record of KMS in CloudTrail names it.
 */
export function openAwsKms({ keyId, region, endpoint, timeoutMs }: KmsConfig): KeyWrapper {
  const client = new KMSClient({ ...(region && { region }), ...(endpoint && { endpoint }) });
  const contextOf = (setting: string): Record<string, string> => ({ platform: 'partner-payments', setting });

  /** The credentials are bounded, too: the client looks for those of a machine at addresses that may not answer. */
  async function ask<Answer>(action: string, request: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const late = Promise.withResolvers<never>();
    const end = (): void => late.reject(new TookTooLong(timeoutMs));
    signal.addEventListener('abort', end);
    try {
      return await Promise.race([request(signal), late.promise]);
    } catch (error) {
      const failure = signal.aborted ? new TookTooLong(timeoutMs) : error;
      // Without its cause, which has the request in it.
      throw new ConfigError(`KMS did not ${action} with the key ${keyId}: ${reasonOf(failure)}.`);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  return {
    async wrap(text, setting) {
      const plain = Buffer.from(text);
      if (plain.length > textMaxBytes)
        throw new ConfigError(
          `${setting} has ${plain.length} bytes, and KMS wraps at most ${textMaxBytes}; remove keys ` +
            'that nothing needs.',
        );
      const { CiphertextBlob: wrapped } = await ask(`wrap ${setting}`, (abortSignal) =>
        client.send(new EncryptCommand({ KeyId: keyId, Plaintext: plain, EncryptionContext: contextOf(setting) }), {
          abortSignal,
        }),
      );
      return Buffer.from(wrapped ?? []);
    },

    async unwrap(wrapped, setting) {
      const { Plaintext: plain } = await ask(`unwrap ${setting}`, (abortSignal) =>
        client.send(
          new DecryptCommand({ KeyId: keyId, CiphertextBlob: wrapped, EncryptionContext: contextOf(setting) }),
          { abortSignal },
        ),
      );
      return Buffer.from(plain ?? []).toString();
    },

    close: () => client.destroy(),
  };
}
