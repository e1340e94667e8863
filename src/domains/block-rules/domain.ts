import './schema.ts';
import type { Domain } from '../../domain.ts';

export const blockRulesDomain = {
  name: 'block-rules',
  reference: { title: 'Block rules', description: 'Rules that decline a charge before a processor is asked.' },
  idPrefixes: { blockRule: 'rule_' },
} as const satisfies Domain;
