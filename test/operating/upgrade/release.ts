/**
 * What is known of the database in `release.sql.gz`: who may call, and what was answered. Written by `make-release.ts`.
 */
export interface Release {
  commit: string;
  takenAt: string;
  keys: { VAULT_KEYS: string; FINGERPRINT_KEY: string; IDP_SECRET: string };
  partnerKey: string;
  subKey: string;
  storeId: string;
  instruments: string[];
  /** The body of the charge that was made under `idempotencyKey`, and the payment it answered. */
  charge: object;
  idempotencyKey: string;
  payment: { id: string };
  heldPaymentId: string;
  subscriptionId: string;
}
