export { abandonMove, movePartner } from './move-partner.ts';
export type { MoveRequest } from './move-request.ts';
