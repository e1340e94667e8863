/**
 * Rows of the provider behind the stand-in in the shape of Clerk's objects: every field that its client's types name,
 * times in milliseconds.
 */
export type Row = Readonly<Record<string, unknown>>;

const ms = (value: unknown): number => new Date(value as string).getTime();
const map = (value: unknown): Row => (value ?? {}) as Row;

export function userJson(row: Row): Row {
  const id = String(row['id']);
  const emailId = `idn_${id.slice(5)}`;
  return {
    id,
    object: 'user',
    username: null,
    first_name: null,
    last_name: null,
    image_url: '',
    has_image: false,
    primary_email_address_id: emailId,
    primary_phone_number_id: null,
    primary_web3_wallet_id: null,
    password_enabled: true,
    two_factor_enabled: false,
    totp_enabled: false,
    backup_code_enabled: false,
    email_addresses: [
      {
        id: 'idn_other',
        object: 'email_address',
        email_address: 'another-address@example.com',
        verification: null,
        linked_to: [],
      },
      {
        id: emailId,
        object: 'email_address',
        email_address: row['email'],
        verification: {
          object: 'verification_admin',
          status: row['emailVerified'] === true ? 'verified' : 'unverified',
          strategy: 'admin',
          attempts: null,
          expire_at: null,
        },
        linked_to: [],
      },
    ],
    phone_numbers: [],
    web3_wallets: [],
    organization_memberships: null,
    external_accounts: [],
    enterprise_accounts: [],
    password_last_updated_at: null,
    public_metadata: map(row['publicMetadata']),
    private_metadata: {},
    unsafe_metadata: {},
    external_id: null,
    last_sign_in_at: null,
    banned: row['banned'] === true,
    locked: false,
    lockout_expires_in_seconds: null,
    verification_attempts_remaining: 100,
    created_at: ms(row['createdAt']),
    updated_at: ms(row['updatedAt']),
    last_active_at: null,
    create_organization_enabled: true,
    create_organizations_limit: null,
    delete_self_enabled: true,
    legal_accepted_at: null,
    locale: null,
  };
}

export function organizationJson(row: Row): Row {
  return {
    id: row['id'],
    object: 'organization',
    name: row['name'],
    slug: row['slug'] ?? '',
    image_url: '',
    has_image: false,
    max_allowed_memberships: 5,
    admin_delete_enabled: true,
    public_metadata: map(row['publicMetadata']),
    private_metadata: {},
    ...(row['createdBy'] !== null && { created_by: row['createdBy'] }),
    created_at: ms(row['createdAt']),
    updated_at: ms(row['updatedAt']),
  };
}

/** The embedded provider's `owner` is Clerk's `org:admin`. */
export function membershipJson(row: Row, at: unknown = row['createdAt']): Row {
  const organization = {
    id: row['organizationId'],
    name: 'Organization',
    createdAt: row['createdAt'],
    updatedAt: row['createdAt'],
    createdBy: null,
  };
  return {
    id: `orgmem_${String(row['userId']).slice(5)}`,
    object: 'organization_membership',
    public_metadata: {},
    private_metadata: {},
    role: row['role'] === 'owner' ? 'org:admin' : `org:${String(row['role'])}`,
    permissions: [],
    created_at: ms(row['createdAt']),
    updated_at: ms(at),
    organization: organizationJson(organization),
    public_user_data: {
      identifier: 'someone@example.com',
      first_name: null,
      last_name: null,
      image_url: '',
      has_image: false,
      user_id: row['userId'],
    },
  };
}

export function invitationJson(row: Row, url?: string): Row {
  const at = ms(row['createdAt']);
  return {
    id: row['id'],
    object: 'invitation',
    email_address: row['email'],
    public_metadata: map(row['publicMetadata']),
    revoked: row['status'] === 'revoked',
    status: row['status'],
    ...(url !== undefined && { url }),
    expires_at: ms(row['expiresAt']),
    created_at: at,
    updated_at: at,
  };
}

export function sessionJson(row: Row, status: 'active' | 'revoked'): Row {
  const at = ms(row['createdAt']);
  return {
    id: row['id'],
    object: 'session',
    client_id: 'client_1',
    user_id: row['userId'],
    status,
    actor: null,
    last_active_at: at,
    expire_at: ms(row['expiresAt']),
    abandon_at: ms(row['expiresAt']),
    created_at: at,
    updated_at: at,
  };
}

/** A message of the embedded provider as Clerk would send it; null if Clerk does not send one. */
export function eventJson({ type, at, data }: { type: string; at: string; data: Row }): Row | null {
  const event = wireEventOf(type, at, data);
  return (
    event && {
      ...event,
      object: 'event',
      instance_id: 'ins_stand_in',
      timestamp: ms(at),
      event_attributes: { http_request: { client_ip: '127.0.0.1', user_agent: '' } },
    }
  );
}

function wireEventOf(type: string, at: string, data: Row): Row | null {
  const isNew = data['createdAt'] === data['updatedAt'];
  switch (type) {
    case 'user.upserted':
      return { type: isNew ? 'user.created' : 'user.updated', data: userJson(data) };
    case 'user.deleted':
      return { type, data: { id: data['id'], object: 'user', deleted: true } };
    case 'session.deleted':
      return { type: 'session.revoked', data: sessionJson(data, 'revoked') };
    case 'organization.upserted':
      return { type: isNew ? 'organization.created' : 'organization.updated', data: organizationJson(data) };
    case 'organization.deleted':
      return { type, data: { id: data['id'], object: 'organization', deleted: true } };
    case 'membership.upserted':
      return { type: 'organizationMembership.created', data: membershipJson(data, at) };
    case 'membership.deleted':
      return { type: 'organizationMembership.deleted', data: membershipJson(data) };
    default:
      return null;
  }
}
