import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { type ConsoleDocument, consoleDocuments } from './console-documents.ts';
import { exportForm, type Form, formsOf } from './console-forms.ts';
import type { BenchPerson } from './people.ts';
import { fillLimits } from './server-settings.ts';

/** The times of one document in one form for one person. */
export interface AskedForm {
  screen: string;
  document: string;
  form: string;
  who: string;
  ms: number[];
}

interface Asking {
  port: number;
  pool: pg.Pool;
  people: readonly (BenchPerson & { cookie: string })[];
  rounds: number;
  only: string;
  /** Called for each form when its times are known. */
  onAsked(form: AskedForm): void;
}

interface Answer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: string } }[];
}

type Person = Asking['people'][number];

/** What reads every row, and is shown as running until it ends. */
const longActions = new Set(['ProveLedger']);

/** The console offers no page beyond (`console/src/ui/list-page.tsx`). */
const pagesMax = 400;

/** What a person of a partner may not see, or what is of another partner. */
const refusals = /^FORBIDDEN$|NOT_FOUND$/;

/**
 * Sends every document that reads, and every export, one after the other as a single person would. The first answer of a
 * form is not measured. Throws if a user is refused what their role may see.
 */
export async function askForms(asking: Asking): Promise<AskedForm[]> {
  const requested: AskedForm[] = [];
  const refused: string[] = [];
  for (const document of consoleDocuments()) {
    const isExport = document.name.startsWith('Export');
    if (!`${document.screen} ${document.name}`.includes(asking.only)) continue;
    if ((document.operation.operation === 'mutation' && !isExport) || longActions.has(document.name)) continue;
    for (const person of asking.people)
      for (const form of isExport ? [exportForm(document)] : formsOf(document)) {
        const ms = await timesOf(asking, document, person, form, isExport ? exportBegun : answered);
        const [who = ''] = person.platformRoles;
        if (typeof ms === 'string') refused.push(ms);
        else if (ms) {
          const times = { screen: document.screen, document: document.name, form: form.name, who, ms };
          asking.onAsked(times);
          requested.push(times);
        }
      }
  }
  if (refused.length > 0) throw new Error(`Forms that the console shows were refused:\n${refused.join('\n')}`);
  return requested;
}

interface Timed {
  answer: Answer;
  ms: number;
}

type Ask = (asking: Asking, person: Person, document: ConsoleDocument, variables: object) => Promise<Timed>;

/** Undefined if the form is not offered to the person; a text if it is offered and refused. */
async function timesOf(
  asking: Asking,
  document: ConsoleDocument,
  person: Person,
  form: Form,
  ask: Ask,
): Promise<number[] | string | undefined> {
  const isStaff = person.whitelabelOwnership === null;
  const opened = {
    mode: 'test',
    isAdmin: isStaff,
    isAuditor: isStaff,
    isHub: isStaff,
    isStaff,
    page: 1,
    pageSize: 25,
    limit: 25,
    offset: 0,
  };
  const variables = { ...opened, ...form.variables };
  await fillLimits(asking.pool);
  const { answer: first } = await ask(asking, person, document, variables);
  const [error] = first.errors ?? [];
  if (error) {
    const code = error.extensions?.code ?? '';
    if (form.kind === 'sort over all partners' && error.message.includes('over all partners')) return undefined;
    if (!isStaff && (refusals.test(code) || code === 'BAD_REQUEST')) return undefined;
    if (error.message.includes('superadmin')) return undefined;
    return `${document.name}, ${form.name}, ${person.email}: ${code} ${error.message}`;
  }
  if (form.kind === 'last page') variables.page = lastPageOf(first);
  const ms: number[] = [];
  for (let round = 0; round < asking.rounds; round++) {
    await fillLimits(asking.pool);
    ms.push((await ask(asking, person, document, variables)).ms);
  }
  return ms;
}

function lastPageOf({ data }: Answer): number {
  const list = data?.['list'];
  const pages = typeof list === 'object' && list !== null && 'totalPages' in list ? Number(list.totalPages) : 1;
  return Math.max(1, Math.min(pages, pagesMax));
}

/** The whole answer of the graph, as the console reads it. */
async function answered(
  { port }: Asking,
  { cookie }: Person,
  { text }: ConsoleDocument,
  variables: object,
): Promise<Timed> {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', Cookie: cookie },
    body: JSON.stringify({ query: text, variables }),
  });
  // the body of this server's graph
  const answer = (await response.json()) as Answer;
  return { answer, ms: performance.now() - begun };
}

/** Until the first byte of the file, whose rest is not read. */
async function exportBegun(
  asking: Asking,
  person: Person,
  document: ConsoleDocument,
  variables: object,
): Promise<Timed> {
  const { answer, ms } = await answered(asking, person, document, variables);
  const begun = answer.data?.['begun'];
  if (typeof begun !== 'object' || begun === null || !('url' in begun)) return { answer, ms };
  const url = new URL(String(begun.url), `http://127.0.0.1:${asking.port}`);
  for (;;) {
    const requested = performance.now();
    const file = await fetch(url, { headers: { Cookie: person.cookie } });
    if (file.status === 429) {
      // The export before this one ends a moment after its reader has left.
      await file.body?.cancel();
      await setTimeout(100);
      continue;
    }
    if (!file.ok) throw new Error(`${document.name}: the file answered ${file.status}.`);
    const reader = file.body?.getReader();
    await reader?.read();
    const firstByteMs = performance.now() - requested;
    await reader?.cancel();
    return { answer, ms: ms + firstByteMs };
  }
}
