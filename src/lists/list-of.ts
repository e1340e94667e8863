import type { InputFieldRef, InputShapeFromFields, InputShapeFromTypeParam, InputType, ObjectRef } from '@pothos/core';
import type { Visibility } from '../auth/tenancy.ts';
import { type Requested, visibilityOf } from '../auth/visibility.ts';
import type { ViewerContext } from '../call/context.ts';
import { type BuilderTypes, builder } from '../graph/builder.ts';
import type { Services } from '../services.ts';
import { amount, date, type Filter, is, isSet, oneOf, overlaps, text } from './filters.ts';
import {
  AmountFilter,
  type AmountFilterValue,
  cursorArguments,
  DateFilter,
  type DateFilterValue,
  pageArguments,
  pageComplexity,
  pageType,
  rowsOfPeople,
  type SortField,
  sortInput,
  TextFilter,
  type TextFilterValue,
  viewerArgs,
} from './inputs.ts';
import { type ListArguments, type ListDefinition, mapPage, type Page, readList } from './read-list.ts';

/** A filter of a list: its input field, and its condition on the rows. */
export interface Declared<Value> {
  input(
    t: PothosSchemaTypes.InputFieldBuilder<BuilderTypes, 'InputObject'>,
  ): InputFieldRef<BuilderTypes, Value | null | undefined>;
  where(name: string): Filter<Value>;
}

interface AnyDeclared {
  input(t: PothosSchemaTypes.InputFieldBuilder<BuilderTypes, 'InputObject'>): InputFieldRef<BuilderTypes, unknown>;
  where(name: string): Filter<never>;
}

interface Own<Value> {
  /** Default: the column with the name of the filter. */
  column?: string;
  where?: Filter<Value>;
  /** Whether only people use it: REST does not have it. */
  forPeople?: boolean;
}

/** One column, or a condition of its own. */
function at<Value>({ column, where }: Own<Value>, condition: (column: string) => Filter<Value>) {
  return (name: string): Filter<Value> => where ?? condition(column ?? name);
}

const extensions = ({ forPeople = false }: Own<never>): object => (forPeople ? { extensions: { rest: false } } : {});

/** One of several values of a scalar or an enum. */
export function anyOf<const Type extends InputType<BuilderTypes>>(
  type: Type,
  description: string,
  own: Own<InputShapeFromTypeParam<BuilderTypes, [Type], true>> = {},
): Declared<InputShapeFromTypeParam<BuilderTypes, [Type], true>> {
  return {
    // Pothos cannot resolve the type of a field whose type is a parameter: the annotation states it.
    input: (t) => t.field({ type: [type], description, ...extensions(own) } as never) as never,
    where: at(own, oneOf as never),
  };
}

/** Exactly one value of a scalar or an enum. */
export function exactly<const Type extends InputType<BuilderTypes>>(
  type: Type,
  description: string,
  own: Own<InputShapeFromTypeParam<BuilderTypes, Type, true>> = {},
): Declared<InputShapeFromTypeParam<BuilderTypes, Type, true>> {
  return {
    input: (t) => t.field({ type, description, ...extensions(own) }) as never,
    where: at(own, is as never),
  };
}

export const ids = (description: string, own: Own<readonly string[]> = {}) => anyOf('ID', description, own as never);
export const id = (description: string, own: Own<string> = {}) => exactly('ID', description, own as never);
export const bool = (description: string, own: Own<boolean> = {}) => exactly('Boolean', description, own as never);
/** Whether a column has a value. */
export const flag = (description: string, own: Own<boolean> = {}): Declared<boolean> => ({
  input: (t) => t.boolean({ description, ...extensions(own) }),
  where: at(own, isSet),
});
/** At least one of several values in an array. */
export const tags = (description: string, own: Own<readonly string[]> = {}): Declared<string[]> => ({
  input: (t) => t.field({ type: ['Tag'], description, ...extensions(own) }),
  where: at(own, overlaps),
});
export const dates = (description: string, own: Own<DateFilterValue> = {}): Declared<DateFilterValue> => ({
  input: (t) => t.field({ type: DateFilter, description, ...extensions(own) }),
  where: at(own, date),
});
export const amounts = (description: string, own: Own<AmountFilterValue> = {}): Declared<AmountFilterValue> => ({
  input: (t) => t.field({ type: AmountFilter, description, ...extensions(own) }),
  where: at(own, amount),
});
/** `lowered` says that the column is stored in lower case, so that an index on it is used. */
export const texts = (
  description: string,
  { lowered = false, ...own }: Own<TextFilterValue> & { lowered?: boolean } = {},
): Declared<TextFilterValue> => ({
  input: (t) => t.field({ type: TextFilter, description, ...extensions(own) }),
  where: at(own, (column) => text(column, { lowered })),
});

type FieldsOf<Map> = {
  [Name in keyof Map]: Map[Name] extends Declared<infer Value>
    ? InputFieldRef<BuilderTypes, Value | null | undefined>
    : never;
};
/** The values of the filters that are declared. */
export type FiltersOf<Map> = InputShapeFromFields<FieldsOf<Map>>;

type ListRow = { id: string; createdAt: Date };

interface Declaration<Filters extends object, Map>
  extends Pick<
    ListDefinition<Filters>,
    | 'table'
    | 'columns'
    | 'extra'
    | 'sortsOverAll'
    | 'filtersWithinPartner'
    | 'always'
    | 'accountColumn'
    | 'counted'
    | 'cursor'
  > {
  /** The plural of the objects, in texts: `orders`. */
  of: string;
  filters: Map;
  /** The description of `filters`. */
  aboutFilters: string;
  /** Sort fields and their columns. */
  sorts: { readonly [Name in SortField]?: string };
  /** Whether people may call it as well: they say whose rows they read. */
  forPeople?: boolean;
  /** The definition for a reader, if it is another one. */
  definitionFor?: DefinitionFor<Filters>;
}

type DefinitionFor<Filters extends object> = (
  usual: ListDefinition<Filters>,
  visibility: Visibility,
  filters: Filters | null | undefined,
  services: Pick<Services, 'pool' | 'clock'>,
) => ListDefinition<Filters> | Promise<ListDefinition<Filters>>;

/** A list of the platform, declared once: its types, its statement and its root field. */
export function listOf<Item, const Map extends Readonly<Record<string, AnyDeclared>>>(
  name: string,
  type: ObjectRef<BuilderTypes, Item>,
  itemOf: (row: never) => Item,
  declared: Declaration<FiltersOf<Map> & object, Map>,
) {
  type Filters = FiltersOf<Map> & object;
  const { of, filters, aboutFilters, sorts, forPeople = false, definitionFor, ...parts } = declared;
  const entries = Object.entries<AnyDeclared>(filters);
  const sortFields = Object.keys(sorts) as [SortField, ...SortField[]];
  const Page = pageType(`${name}Page`, type, of);
  const Filters = builder.inputType(`${name}Filters`, {
    description: aboutFilters,
    // the type of fromEntries has no names
    fields: (t) => Object.fromEntries(entries.map(([key, filter]) => [key, filter.input(t)])) as FieldsOf<Map>,
  });
  const definition = {
    ...parts,
    sorts: sorts as Record<string, string>,
    filters: Object.fromEntries(entries.map(([key, filter]) => [key, filter.where(key)])),
  } as ListDefinition<Filters>;
  const read = async (
    { services }: { services: Pick<Services, 'pool' | 'clock'> },
    visibility: Visibility,
    requested: ListArguments<Filters>,
  ): Promise<Page<Item>> => {
    const own = definitionFor ? await definitionFor(definition, visibility, requested.filters, services) : definition;
    return mapPage(
      await readList<ListRow, Filters>(services.pool, visibility, own, requested),
      itemOf as (row: ListRow) => Item,
    );
  };
  const args = (about: { sortBy: string; filters: string }) => {
    const Sort = sortInput(`${name}Sort`, sortFields);
    return builder.args((t) => ({
      ...(parts.cursor ? cursorArguments : pageArguments),
      ...(forPeople && viewerArgs),
      sortBy: t.field({ type: Sort, description: about.sortBy }),
      filters: t.field({ type: Filters, description: about.filters }),
    }));
  };
  /** The options of the root field. `description` is that of REST as well. */
  const field = (description: string, about: { sortBy: string; filters: string }) => ({
    type: Page,
    description,
    ...(forPeople && { forPeople: rowsOfPeople }),
    args: args(about),
    complexity: pageComplexity,
    resolve: async (
      _root: unknown,
      { mode, partnerSlug, ...args }: ListArguments<Filters> & Requested,
      context: ViewerContext,
    ) => read(context, await visibilityOf(context, { mode, partnerSlug }), args),
  });
  return { Page, Filters, definition, read, args, field };
}
