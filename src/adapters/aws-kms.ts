import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { ConfigError, type KmsConfig } from '../settings/config.ts';
import type { KeyWrapper } from '../settings/wrapped-keys.ts';

/** KMS did not answer in time. */
class TookTooLong extends Error {
  override readonly name = 'TookTooLong';

  readonly afterMs: number;

  constructor(afterMs: number) {
    super(`no answer within ${afterMs} ms`);
    this.afterMs = afterMs;
  }
}

const credentials = 'the credentials of AWS are not valid there; correct them';

/** What the operator can do, by the name of the error at AWS or the code of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  AccessDeniedException: 'the credentials may not use the key; allow them kms:Decrypt, and kms:Encrypt for commands',
  DisabledException: 'the key is disabled; enable it',
  KMSInvalidStateException: 'the key is in a state in which it cannot be used, such as waiting for its deletion',
  KeyUnavailableException: 'the key is not available at the moment; try again',
  NotFoundException: 'there is no such key in this region; correct VAULT_KMS_KEY_ID or VAULT_KMS_REGION',
  InvalidArnException: 'this is not the ARN of a key; correct VAULT_KMS_KEY_ID',
  InvalidKeyUsageException: 'the key is not one that encrypts; use a symmetric key for encryption',
  IncorrectKeyException: 'it was wrapped with another key; set VAULT_KMS_KEY_ID to that key',
  InvalidCiphertextException: 'it was altered, or wrapped for another setting; put a copy of it back',
  ThrottlingException: 'it is asked too often (throttled); try again',
  LimitExceededException: 'it is asked too often (throttled); try again',
  UnrecognizedClientException: credentials,
  InvalidClientTokenId: credentials,
  InvalidSignatureException: credentials,
  IncompleteSignatureException: credentials,
  ExpiredTokenException: 'the credentials of AWS have expired; renew them',
  CredentialsProviderError: 'no credentials of AWS were found; give them as for every tool of AWS',
  ECONNREFUSED: 'nothing listens at its address; correct VAULT_KMS_ENDPOINT',
  ENOTFOUND: 'there is no host of this name; correct VAULT_KMS_REGION or VAULT_KMS_ENDPOINT',
  EAI_AGAIN: 'the name of its host cannot be resolved',
  ECONNRESET: 'it closed the connection',
};

/** The reason why KMS failed, without the request. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error instanceof TookTooLong) return `it did not answer within ${error.afterMs} ms`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = reasons[error.name] ?? reasons[code];
  if (known !== undefined) return known;
  if (/region is missing/i.test(error.message)) return 'its region is not known; set VAULT_KMS_REGION';
  return `it answered ${error.name}; try again`;
}

/** The maximum size that KMS encrypts in one call. */
export const textMaxBytes = 4096;

/**
 * AWS KMS through its official client, which finds credentials and a region like every tool of AWS, and retries
 * throttled calls. A symmetric key encrypts; the setting is the encryption context, so that a key wrapped for one
 * setting is rejected for another, and the record in CloudTrail names it.
 */
export function openAwsKms({ keyId, region, endpoint, timeoutMs }: KmsConfig): KeyWrapper {
  const client = new KMSClient({ ...(region && { region }), ...(endpoint && { endpoint }) });
  const encryptionContext = (setting: string): Record<string, string> => ({ platform: 'partner-payments', setting });

  /**
   * The time limit includes the credentials: the client looks for those of a machine at addresses that may not answer.
   */
  async function ask<Answer>(action: string, request: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const signal = AbortSignal.timeout(timeoutMs);
    const late = Promise.withResolvers<never>();
    const end = (): void => late.reject(new TookTooLong(timeoutMs));
    signal.addEventListener('abort', end);
    try {
      return await Promise.race([request(signal), late.promise]);
    } catch (error) {
      const failure = signal.aborted ? new TookTooLong(timeoutMs) : error;
      // Without the cause, which contains the request.
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
        client.send(
          new EncryptCommand({ KeyId: keyId, Plaintext: plain, EncryptionContext: encryptionContext(setting) }),
          {
            abortSignal,
          },
        ),
      );
      return Buffer.from(wrapped ?? []);
    },

    async unwrap(wrapped, setting) {
      const { Plaintext: plain } = await ask(`unwrap ${setting}`, (abortSignal) =>
        client.send(
          new DecryptCommand({ KeyId: keyId, CiphertextBlob: wrapped, EncryptionContext: encryptionContext(setting) }),
          { abortSignal },
        ),
      );
      return Buffer.from(plain ?? []).toString();
    },

    close: () => client.destroy(),
  };
}
