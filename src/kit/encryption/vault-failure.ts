/** A record is missing or cannot be decrypted. The message contains ids only, never content. */
export class VaultFailure extends Error {
  override readonly name = 'VaultFailure';
}
