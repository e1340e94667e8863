import { PathLink } from './detail-page.tsx';
import { humanize } from './format.ts';
import { may, usePerson } from './person.tsx';

/** The pages of objects by the prefix of their identifiers. */
const pages: Readonly<Record<string, string>> = {
  pay: '/payments',
  cus: '/customers',
  ord: '/orders',
  sub: '/subscriptions',
  tpa: '/accounts',
  wh: '/endpoints',
  dp: '/disputes',
  evt: '/events',
  par: '/partners',
  clock: '/test-clocks',
  user: '/users',
};

/** The path of the page of an object below the mode; undefined if it has none. */
function pathOfObject(id: string): string | undefined {
  const page = pages[id.slice(0, id.indexOf('_'))];
  return page && `${page}/${id}`;
}

interface ObjectLinkProps {
  id: string | null | undefined;
  /** The name of the object. Without it, the identifier is shown. */
  name?: string | null | undefined;
}

/** The name of an object, which leads to its page if there is one. Its identifier is shown on hover. */
export function ObjectLink({ id, name }: ObjectLinkProps) {
  const readsPartners = may(usePerson(), 'hub');
  if (!id) return null;
  const path = id.startsWith('par_') && !readsPartners ? undefined : pathOfObject(id);
  const text = name || id;
  if (!path) return <span title={id}>{text}</span>;
  return (
    <PathLink path={path} title={id}>
      {text}
    </PathLink>
  );
}

/** The account of a row. */
export function AccountLink({ of }: { of: { id: string; legalName: string } | null | undefined }) {
  return <ObjectLink id={of?.id} name={of?.legalName} />;
}

/** The customer of a row. */
export function CustomerLink({ of }: { of: { id: string; email: string } | null | undefined }) {
  return <ObjectLink id={of?.id} name={of?.email} />;
}

interface NamedProcessor {
  id: string;
  name: string;
  type: string;
  platformAccountId: string;
}

/** The type and the name of a processor, such as `Stripe · EU`. */
export function processorName({ name, type }: { name: string; type: string }): string {
  return name.toLowerCase().includes(type) ? name : `${humanize(type)} · ${name}`;
}

/** A processor, which leads to the processors of its account. */
export function ProcessorLink({ of }: { of: NamedProcessor | null | undefined }) {
  if (!of) return null;
  return (
    <PathLink path="/processors" search={{ platformAccountId: of.platformAccountId }} title={of.id}>
      {processorName(of)}
    </PathLink>
  );
}

/** The partner of an object, by its name. People of a partner see their own. */
export function PartnerLink({ partner }: { partner: { name: string; slug: string } | null | undefined }) {
  const { partnerSlug } = usePerson();
  if (!partner) return partnerSlug;
  return <PathLink path={`/partners/${partner.slug}`}>{partner.name}</PathLink>;
}

/** Leads to what a user or a key has changed, for who may read the audit log. */
export function DoneBy({ actorUserId }: { actorUserId: string }) {
  if (!may(usePerson(), 'auditor')) return null;
  return (
    <span className="beside">
      <PathLink path="/audit" search={{ actorUserId }}>
        changes
      </PathLink>
    </span>
  );
}
