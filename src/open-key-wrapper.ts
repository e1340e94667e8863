import type { KeyWrapper } from './ports/key-wrapper.ts';
import type { KmsConfig } from './runtime/config.ts';
import { importOptional } from './runtime/optional-package.ts';

/** Loaded only if configured: most servers are given their keys, and need no client of AWS. */
export async function openKeyWrapper(kms: KmsConfig): Promise<KeyWrapper> {
  const { openAwsKms } = await importOptional(
    () => import('./adapters/aws-kms/aws-kms.ts'),
    'VAULT_KMS_KEY_ID is set, and the package @aws-sdk/client-kms is not installed; run ' +
      '`npm install --no-save --omit=dev @aws-sdk/client-kms`.',
  );
  return openAwsKms(kms);
}
