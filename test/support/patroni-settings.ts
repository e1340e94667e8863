/** A machine of the cluster, as a network namespace with its own address: an etcd, a Patroni and a PostgreSQL. */
export interface Machine {
  name: string;
  address: string;
}

export const host = '10.77.0.1';
export const machines: Machine[] = ['a', 'b', 'c'].map((name, index) => ({ name, address: `10.77.0.${11 + index}` }));
export const password = 'test';

export function etcdArguments({ name, address }: Machine, dataDir: string): string[] {
  const members = machines.map((machine) => `${machine.name}=http://${machine.address}:2380`).join(',');
  return [
    ['--name', name, '--data-dir', dataDir, '--initial-cluster', members],
    ['--listen-peer-urls', `http://${address}:2380`, '--initial-advertise-peer-urls', `http://${address}:2380`],
    ['--listen-client-urls', `http://${address}:2379`, '--advertise-client-urls', `http://${address}:2379`],
  ].flat();
}

export function patroniConfig({ name, address }: Machine, dataDir: string): object {
  return {
    scope: 'platform',
    name,
    restapi: { listen: `${address}:8008`, connect_address: `${address}:8008` },
    etcd3: { hosts: machines.map((machine) => `${machine.address}:2379`) },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 5,
        retry_timeout: 5,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 100, wal_keep_size: '512MB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `${address}:5432`,
      connect_address: `${address}:5432`,
      data_dir: dataDir,
      pgpass: `${dataDir}.pgpass`,
      bin_dir: '/usr/lib/postgresql/15/bin',
      authentication: {
        superuser: { username: 'postgres', password },
        replication: { username: 'replicator', password },
      },
      parameters: { unix_socket_directories: '' },
      pg_hba: ['host all all 10.77.0.0/24 scram-sha-256', 'host replication all 10.77.0.0/24 scram-sha-256'],
    },
  };
}

export const proxyConfig = `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind ${host}:5000
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${machines.map(({ name, address }) => `  server ${name} ${address}:5432 check port 8008`).join('\n')}
`;
