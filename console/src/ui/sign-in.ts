/** The address of the sign-in, which leads back to the present page, with its filters. */
export function signInAndReturn(): string {
  const { pathname, search } = window.location;
  return `/idp/sign-in?${new URLSearchParams({ redirect: pathname + search }).toString()}`;
}
