import { invalid } from '../../kit/errors.ts';

/** How a request names a partner: by exactly one of the two. */
export interface PartnerName {
  id?: string | null | undefined;
  slug?: string | null | undefined;
}

export function assertOneName({ id, slug }: PartnerName): void {
  if ((id == null) === (slug == null))
    throw invalid(id == null ? 'id' : 'slug', 'must be named, or the other of id and slug, and not both');
}
