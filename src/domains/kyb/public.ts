/** What other domains may use of this one. No file of this domain imports it. */

export { approveKyb } from './approve-kyb.ts';
export { kybObject, type RequirementObject } from './kyb-object.ts';
export type { KybReview } from './kyb-reviews.ts';
export { readReview } from './read-review.ts';
export { rejectKyb } from './reject-kyb.ts';

export { reviewRequirement } from './review-requirement.ts';
export { KybRequirement } from './schema.ts';
