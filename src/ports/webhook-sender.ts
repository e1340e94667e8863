/** Sends events to the URLs of receivers, and prevents requests to the platform's own network. */
export interface WebhookSender {
  /** Why the URL is rejected, as a sentence that starts with the field's name; null if it is allowed. */
  refusalOf(url: string): Promise<string | null>;

  /** Sends one request. Every result is returned; nothing is thrown. */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
}

export interface WebhookRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Whether the request gets a tenth of the usual time. */
  hasShortTimeout?: boolean;
  /** Aborted when the process stops. */
  signal?: AbortSignal | undefined;
}

export interface WebhookAnswer {
  /** Null if there was no answer. */
  status: number | null;
  durationMs: number;
  /** The first KiB of the answer. */
  responseBody: string | null;
  /** The first headers of the answer, at most 2 KiB, without cookies. Null if there was no answer. */
  responseHeaders: { name: string; value: string }[] | null;
  retryAfter: string | null;
  /** Whether the answer was not complete within the time limit. */
  timedOut: boolean;
  /** Why there was no answer, or no complete one. */
  error: string | null;
  /** Whether the request was aborted by `signal`, which says nothing about the receiver. */
  aborted: boolean;
}
