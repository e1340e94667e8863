import '../accounts/schema.ts';
import '../audit/schema.ts';
import '../block-rules/schema.ts';
import '../customers/schema.ts';
import '../events/schema.ts';
import '../iam/probes-schema.ts';
import '../iam/staff-schema.ts';
import '../iam/users-schema.ts';
import '../identity/schema.ts';
import '../instruments/schema.ts';
import '../keys/schema.ts';
import '../ledger/schema.ts';
import '../operators/keys-schema.ts';
import '../operators/payment-schema.ts';
import '../operators/schema.ts';
import '../orders/schema.ts';
import '../partners/organizations-schema.ts';
import '../partners/schema.ts';
import '../payments/schema.ts';
import '../processors/schema.ts';
import '../products/schema.ts';
import '../stores/schema.ts';
import '../subscriptions/schema.ts';
import '../webhooks/schema.ts';
import './scalars.ts';
import { builder } from './builder.ts';

/** The whole graph. Every domain adds itself to the builder when it is imported; this is where they all are. */
export const schema = builder.toSchema();
