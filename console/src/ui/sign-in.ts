/** The address of the sign-in, which leads back to the present page, with its filters. */
export function signInAndReturn(): string {
  return andReturn('/idp/sign-in');
}

/** The same for the page on which the second factor is verified again. */
export function verifyAndReturn(): string {
  return andReturn('/idp/second-factor');
}

function andReturn(path: string): string {
  const { pathname, search } = window.location;
  return `${path}?${new URLSearchParams({ redirect: pathname + search }).toString()}`;
}
