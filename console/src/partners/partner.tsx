import { Group } from '@mantine/core';
import { CreatePartnerKey } from '../accounts/api-key-actions.tsx';
import { graphql, type ResultOf } from '../graph/graphql.ts';
import { Roster } from '../people/roster.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Detail, PathLink, Ready, useDetail, usePathId } from '../ui/detail-page.tsx';
import { Id, Section, WithFacts } from '../ui/facts.tsx';
import { Missing } from '../ui/loading-empty-failed.tsx';
import { Payload } from '../ui/payload.tsx';
import { Status, Words } from '../ui/status.tsx';
import { Time } from '../ui/time.tsx';
import { ArchivePartner, ChangePartnerStatus, EditPartner } from './partner-actions.tsx';

const document = graphql(`
  query Partner($id: ID, $slug: Slug) {
    partner(id: $id, slug: $slug) { id slug name status branding commercialTerms preferences createdAt }
    partnerOrganizations(id: $id, slug: $slug) {
      total
      rows { accountId name kind createdAt }
    }
  }
`);

type Data = ResultOf<typeof document>;

/** A partner with its people and its organizations. The path has its slug or its identifier. */
export function Partner() {
  const id = usePathId();
  const query = useDetail(document, id.startsWith('par_') ? { id } : { slug: id });
  return (
    <Ready query={query}>
      {(data) => (data.partner ? <PartnerPage data={data} /> : <Missing>Partner not found.</Missing>)}
    </Ready>
  );
}

const lists = [
  ['Accounts', '/accounts'],
  ['Payments', '/payments'],
  ['Disputes', '/disputes'],
  ['API keys', '/api-keys'],
  ['Webhook endpoints', '/endpoints'],
] as const;

function PartnerLists({ slug }: { slug: string }) {
  return (
    <Group gap="xs">
      {lists.map(([name, path]) => (
        <PathLink key={path} path={path} search={{ partner: slug }}>
          {name}
        </PathLink>
      ))}
    </Group>
  );
}

function PartnerPage({ data }: { data: Data }) {
  const partner = data.partner;
  if (!partner) return null;
  return (
    <Detail
      title={
        <>
          {partner.name} <Status of={partner.status} />
        </>
      }
      list={{ name: 'Partners', path: '/partners' }}
      audited={partner.id}
      actions={
        <>
          <CreatePartnerKey slug={partner.slug} />
          <EditPartner partner={partner} />
          <ChangePartnerStatus partner={partner} />
          <ArchivePartner partner={partner} />
        </>
      }
    >
      <WithFacts
        title="Partner"
        of={[
          ['ID', <Id>{partner.id}</Id>],
          ['Slug', partner.slug],
          ['Created', <Time at={partner.createdAt} />],
          ['Branding', <Payload title="Branding" value={partner.branding} />],
          ['Commercial terms', <Payload title="Commercial terms" value={partner.commercialTerms} />],
          ['Preferences', <Payload title="Preferences" value={partner.preferences} />],
          ['Show', <PartnerLists key="lists" slug={partner.slug} />],
        ]}
      >
        <Roster slug={partner.slug} />
        <Section title="Organizations">
          <DataTable
            label="Organizations"
            rows={data.partnerOrganizations?.rows ?? []}
            keyOf={({ accountId }) => accountId}
            columns={[
              { name: 'Name', cell: ({ name }) => name },
              { name: 'Type', cell: ({ kind }) => <Words of={kind} /> },
              { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        </Section>
      </WithFacts>
    </Detail>
  );
}
