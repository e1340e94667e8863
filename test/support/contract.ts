import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Where the tests of a page's rules are: `test/contract/<page>.json`, by the opening words of each rule. */
export interface ContractPage {
  name: string;
  rules: string[];
  /** For each opening the tests that prove its rule, as `<file below test/>: <title>`. */
  tests: Record<string, string[]>;
}

const root = join(import.meta.dirname, '..', '..');
/** Its rules of floods, connections, outages, costs of fields, networks and clocks are proven by `*.proof.test.ts`. */
const limitsPage = 'errors-and-limits';

export function contractPages(): ContractPage[] {
  return [...globSync('docs/contract/[0-9]*.md', { cwd: root }), `docs/${limitsPage}.md`].sort().map((path) => {
    const name = basename(path, '.md');
    const file = join(root, 'test', 'contract', `${name}.json`);
    return {
      name,
      rules: rulesOf(readFileSync(join(root, path), 'utf8')),
      tests: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}, // a file of this repository
    };
  });
}

/** Every item of a list, row of a table and paragraph of a page, each as one line. */
export function rulesOf(markdown: string): string[] {
  const rules: string[] = [];
  const lines = markdown.replaceAll(/^```.*?^```$/gms, '').split('\n');
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) isOpen = false;
    else if (text.startsWith('|')) {
      // The head of a table is above a line of dashes.
      const isHead = /^\|[-| :]+\|$/.test(lines[index + 1]?.trim() ?? '');
      if (!isHead && !/^\|[-| :]+\|$/.test(text)) rules.push(text.slice(1, -1).trim());
      isOpen = false;
    } else if (isOpen && !/^(- |\d{1,2}\. )/.test(text)) rules[rules.length - 1] += ` ${text}`;
    else {
      rules.push(text.replace(/^(- |\d{1,2}\. )/, ''));
      isOpen = true;
    }
  }
  return rules;
}

/** What is wrong with the list of tests of a page. */
export function faultsOf({ name, rules, tests }: ContractPage): string[] {
  const openings = Object.keys(tests);
  return [
    ...rules.filter((rule) => !openings.some((opening) => rule.startsWith(opening))).map((rule) => `no test: ${rule}`),
    ...openings
      .filter((opening) => rules.filter((rule) => rule.startsWith(opening)).length !== 1)
      .map((opening) => `not the opening of one rule: ${opening}`),
    ...Object.entries(tests).flatMap(([opening, named]) => [
      ...(named.length === 0 ? [`no test: ${opening}`] : []),
      ...named.filter((test) => !exists(test)).map((test) => `does not exist: ${test}`),
    ]),
  ].map((fault) => `${name}: ${fault}`);
}

function exists(test: string): boolean {
  const [, path = '', title = ''] = /^(\S+\.test\.ts): (.+)$/.exec(test) ?? [];
  const file = join(root, 'test', path);
  return title !== '' && existsSync(file) && readFileSync(file, 'utf8').includes(title);
}

/** The openings of the rules of docs/contract that no test of `npm test` proves. */
export function provenElsewhere(): string[] {
  const isElsewhere = (test: string) => /^(browser|proofs)\/|^\S+\.(nightly|process|proof)\.test\.ts: /.test(test);
  return contractPages()
    .filter(({ name }) => name !== limitsPage)
    .flatMap(({ tests }) =>
      Object.entries(tests).flatMap(([opening, named]) => (named.every(isElsewhere) ? [opening] : [])),
    );
}
