import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RateLimited } from '../../src/kit/errors.ts';
import type { AdmissionControl } from '../../src/runtime/admission-control.ts';

/** Where a request has its place. */
const ofRequest = Symbol('place');

type Placed = IncomingMessage & { [ofRequest]?: Place };

/** The place of a request in admission control. It is given back while the request waits for its sender. */
class Place {
  readonly #admissionControl: AdmissionControl;
  #leave = (): void => {};
  #hasEnded = false;

  constructor(admissionControl: AdmissionControl) {
    this.#admissionControl = admissionControl;
  }

  take(begin: (refusal: RateLimited | null) => void): void {
    // `begin` may be called at once, and may answer the request at once.
    const leave = this.#admissionControl.enter(begin);
    if (this.#hasEnded) leave();
    else this.#leave = leave;
  }

  leave(): void {
    const leave = this.#leave;
    this.#leave = () => {};
    leave();
  }

  /** A request that is answered, or whose client is gone, takes no place again. */
  end(): void {
    this.#hasEnded = true;
    this.leave();
  }

  retake(): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve, reject) => this.take((refusal) => (refusal ? reject(refusal) : resolve())));
  }
}

/** Calls `begin` when there is a place. It is held until the answer is written, not until its client has read it. */
export function takePlace(
  admissionControl: AdmissionControl,
  request: Placed,
  response: ServerResponse,
  begin: (refusal: RateLimited | null) => void,
): void {
  const place = new Place(admissionControl);
  request[ofRequest] = place;
  // one signature for all its overloads
  const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse;
  response.end = (...parts: unknown[]) => {
    place.end();
    return end(...parts);
  };
  response.on('close', () => place.end());
  place.take(begin);
}

/**
 * Receives the body of a request without holding its place, so that slow senders keep nobody out. Of most requests the
 * body has arrived with the head; they keep their place. Rejects with `RateLimited` if there is no place afterwards.
 */
export async function withoutPlace<Body>(request: Placed, receive: () => Promise<Body>): Promise<Body> {
  const place = request[ofRequest];
  await Promise.resolve(); // the parser sets `complete` after it has called the handler
  if (!place || request.complete) return receive();
  place.leave();
  try {
    return await receive();
  } finally {
    await place.retake();
  }
}
