/** The token by which each browser is known. Those that name Chrome or Safari as well come before these. */
const browsers: readonly (readonly [name: string, token: RegExp])[] = [
  ['Edge', /Edg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Samsung Internet', /SamsungBrowser\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+)[\d.]* .*Safari\//],
];
const systems: readonly (readonly [name: string, token: RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

/** A browser as people call it, for example `Firefox 133 on Windows`; what it sends itself, if it is not a known one. */
export function browserName(userAgent: string): string {
  for (const [name, token] of browsers) {
    const [, version] = token.exec(userAgent) ?? [];
    if (version === undefined) continue;
    const [system] = systems.find(([, known]) => known.test(userAgent)) ?? [];
    return system === undefined ? `${name} ${version}` : `${name} ${version} on ${system}`;
  }
  return userAgent;
}
