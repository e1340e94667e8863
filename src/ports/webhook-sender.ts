/** Brings an event to a receiver that a partner has named, and keeps us from being led into our own network by that name. */
export interface WebhookSender {
  /** Why nothing may be sent to this address as things stand, read after the field's name; null when something may. */
  refusalOf(url: string): Promise<string | null>;

  /** One request. Whatever happens is told in the answer; nothing is thrown. */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
}

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** A tenth of the usual time has to do. */
  hurried?: boolean;
  /** Aborted when the server stops. */
  signal?: AbortSignal | undefined;
}

export interface WebhookAnswer {
  /** Null when there was none. */
  status: number | null;
  durationMs: number;
  /** The first KiB of it. */
  responseBody: string | null;
  retryAfter: string | null;
  /** The receiver had not done with it when its time was over. */
  timedOut: boolean;
  /** Why there was no answer, or no whole one. */
  error: string | null;
  /** The request was cut off by `signal`: it says nothing about the receiver. */
  aborted: boolean;
}
