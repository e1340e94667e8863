import pg from 'pg';

/** Opens a connection outside of a pool, which the caller closes. `name` is its `application_name`. */
export async function openClient(
  connectionString: string,
  name: string,
  options: Omit<pg.ClientConfig, 'connectionString' | 'application_name'> = {},
): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: name, ...options });
  // The statement that uses a broken connection fails. An `error` event without a listener would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Runs work on a connection of its own. Closing it rolls back what is not committed, and releases its locks. */
export async function withClient<Result>(
  connectionString: string,
  name: string,
  work: (client: pg.Client) => Promise<Result>,
  options?: Parameters<typeof openClient>[2],
): Promise<Result> {
  const client = await openClient(connectionString, name, options);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
