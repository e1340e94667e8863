/** What other domains may use of this one. No file of this domain imports it. */
export { type BlockingRule, blockingRule, type RuledCharge, ruleFacts } from './blocking-rule.ts';
export { blockRulePart } from './change-rule.ts';
export { customerRule } from './customer-rule.ts';
export { BlockRule } from './types.ts';
