import { type Answered, ApiCall } from './call.ts';
import { ConfigurationError } from './errors.ts';

/** One page of a list. */
export interface Page<Item> {
  items: Item[];
  /** The number of all items. Null on a page after the first of a list that is read by cursor. */
  total: number | null;
  page: number | null;
  pageSize: number;
  totalPages: number | null;
  /** Where the next page begins. Null at the end; undefined if the list has no cursors. */
  nextCursor?: string | null;
}

/** What the platform answers to a list: one list has names of its own. */
interface SentPage<Item> extends Partial<Page<Item>> {
  stores?: Item[];
  pageCount?: number;
}

interface ListBody extends Record<string, unknown> {
  page?: number;
  pageSize?: number;
  pagination?: { page?: number; pageSize?: number } | null;
}

type SendList = (body: ListBody) => Promise<Answered<unknown>>;

const largestPage = 100;

/**
 * A list. Awaited, it is its first page; iterated, all its items. Requests are made when it is awaited or iterated, a
 * page at a time. A list of payments, customers, orders or events is read by cursor, so that what is written meanwhile
 * neither repeats an item nor leaves one out.
 */
export class ListCall<Item> implements PromiseLike<Page<Item>>, AsyncIterable<Item> {
  readonly #send: SendList;
  readonly #body: ListBody;
  #first: ApiCall<Page<Item>> | undefined;

  constructor(send: SendList, body: ListBody) {
    this.#send = send;
    this.#body = body;
  }

  /** The page that was asked for, by default the first, with what its headers say. */
  withResponse(): Promise<Answered<Page<Item>>> {
    return this.#page().withResponse();
  }

  then<Kept = Page<Item>, Caught = never>(
    onFulfilled?: ((page: Page<Item>) => Kept | PromiseLike<Kept>) | null,
    onRejected?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Kept | Caught> {
    return this.#page().then(onFulfilled, onRejected);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.pages()) yield* items;
  }

  /** The pages from the one that was asked for to the last; by default of 100 items. */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let body: ListBody | undefined = withLargestPage(this.#body);
    while (body) {
      const page: Page<Item> = pageOf((await this.#send(body)).data as SentPage<Item>, body);
      yield page;
      body = nextBody(body, page);
    }
  }

  /** The first `limit` items as an array. No more are held in memory, however long the list is. */
  async toArray({ limit }: { limit: number }): Promise<Item[]> {
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new ConfigurationError('limit is a whole number of at least 1: the most items that the array may have.');
    const items: Item[] = [];
    for await (const item of this) if (items.push(item) >= limit) break;
    return items;
  }

  #page(): ApiCall<Page<Item>> {
    this.#first ??= new ApiCall(
      this.#send(this.#body).then((answered) => ({
        ...answered,
        data: pageOf(answered.data as SentPage<Item>, this.#body),
      })),
    );
    return this.#first;
  }
}

function withLargestPage(body: ListBody): ListBody {
  const isGiven = body.pageSize !== undefined || (body.pagination ?? undefined) !== undefined;
  return isGiven ? body : { ...body, pageSize: largestPage };
}

function pageOf<Item>(sent: SentPage<Item>, { page, pageSize, pagination }: ListBody): Page<Item> {
  const { stores, pageCount, ...rest } = sent;
  if (stores === undefined) return rest as Page<Item>; // the document requires the rest
  return {
    items: stores,
    total: sent.total ?? null,
    page: page ?? pagination?.page ?? 1,
    pageSize: pageSize ?? pagination?.pageSize ?? 20,
    totalPages: pageCount ?? null,
  };
}

function nextBody<Item>(body: ListBody, { nextCursor, page, pageSize, totalPages }: Page<Item>): ListBody | undefined {
  if (nextCursor === null) return undefined;
  const { page: _page, pagination: _pagination, ...rest } = body;
  if (nextCursor !== undefined) {
    const { sortBy: _sortBy, ...filtered } = rest;
    return { ...filtered, pageSize, cursor: nextCursor };
  }
  if (page === null || totalPages === null || page >= totalPages) return undefined;
  return { ...rest, pageSize, page: page + 1 };
}
