/** What other domains may use of this one. No file of this domain imports it. */

export { kybObject, type RequirementObject } from './kyb-rows.ts';
export { approveKyb, type KybReview, readReview, rejectKyb, reviewRequirement } from './review.ts';

export { KybRequirement } from './schema.ts';
