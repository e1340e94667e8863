import '../accounts/schema.ts';
import '../customers/schema.ts';
import '../events/schema.ts';
import '../instruments/schema.ts';
import '../keys/schema.ts';
import '../ledger/schema.ts';
import '../orders/schema.ts';
import '../payments/schema.ts';
import '../stores/schema.ts';
import '../webhooks/schema.ts';
import './scalars.ts';
import { builder } from './builder.ts';

/** The whole graph. Every domain adds itself to the builder when it is imported; this is where they all are. */
export const schema = builder.toSchema();
