import './accounts-schema.ts';
import './actions-schema.ts';
import './alarms-schema.ts';
import './books-schema.ts';
import './customers-schema.ts';
import './deliveries-schema.ts';
import './endpoint-actions-schema.ts';
import './endpoints-schema.ts';
import './figures-schema.ts';
import './find-schema.ts';
import './jobs-schema.ts';
import './keys-schema.ts';
import './kyb-schema.ts';
import './objects-schema.ts';
import './payment-schema.ts';
import './schema.ts';
import './subscriptions-schema.ts';
import './unapplied-events-schema.ts';
import './upcoming-charge-schema.ts';
import './withheld-charges-schema.ts';
import type { Domain } from '../../domain.ts';

export const operatorsDomain = {
  name: 'operators',
} as const satisfies Domain;
