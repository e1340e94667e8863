/** Ends the session of this browser, and leads to where one signs in. Whether it has ended. */
export async function leave(): Promise<boolean> {
  const response = await fetch('/idp/sign-out', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  }).catch(() => null);
  if (response?.ok) window.location.assign(`/idp/sign-in?redirect=${encodeURIComponent('/console/')}`);
  return response?.ok ?? false;
}
