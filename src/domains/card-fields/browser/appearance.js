/** Colors, sizes and the name of a font: nothing that could load a file or place one thing over another. */
globalThis.applyVariables = (() => {
  const color = (text) => /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text);
  const size = (min, max) => (text) =>
    /^\d{1,2}px$/.test(text) && Number.parseInt(text, 10) >= min && Number.parseInt(text, 10) <= max;
  const colors = ['Text', 'Label', 'Quiet', 'Background', 'Border', 'Accent', 'Danger'];
  const allowed = {
    ...Object.fromEntries(colors.map((name) => [`color${name}`, color])),
    fontFamily: (text) => /^[a-z][a-z0-9 -]{0,39}$/i.test(text),
    fontSize: size(12, 24),
    borderRadius: size(0, 24),
    gap: size(0, 32),
  };

  /** Returns the names of the variables that were refused. */
  return (style, variables) =>
    Object.entries(variables)
      .filter(([name, value]) => {
        if (!Object.hasOwn(allowed, name) || typeof value !== 'string' || !allowed[name](value)) return true;
        style.setProperty(`--${name}`, name === 'fontFamily' ? `"${value}"` : value);
        return false;
      })
      .map(([name]) => name);
})();
