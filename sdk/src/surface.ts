import type { ApiCall } from './call.ts';
import type { operations } from './openapi.ts';
import type { CallOptions } from './options.ts';
import type { ListCall } from './pages.ts';
import type { Endpoint } from './resources.ts';

type Json<Part> = Part extends { content: { 'application/json': infer Body } } ? Body : never;
type Answer<Name extends keyof operations> = Json<operations[Name]['responses'][200]>;

/** The object that the platform answered, or its identifier. An object of the other mode is refused. */
export type Reference = string | { readonly id: string };

/** A body. Where it takes an identifier, the object that has it can be given. */
type BodyOf<Body> = {
  [Field in keyof Body]: Field extends `${string}Id` ? Body[Field] | { readonly id: string } : Body[Field];
};

type IdArguments<Name extends keyof operations> = operations[Name]['parameters'] extends { path: object }
  ? [id: Reference]
  : [];

type BodyArguments<Operation> = Operation extends { requestBody: infer Given }
  ? [body: BodyOf<Json<Given>>]
  : Operation extends { requestBody?: infer Given }
    ? [Exclude<Given, undefined>] extends [never]
      ? QueryArguments<Operation>
      : [body?: BodyOf<Json<Exclude<Given, undefined>>>]
    : never;

type QueryArguments<Operation> = Operation extends { parameters: { query?: infer Query extends object } }
  ? [query?: Query]
  : [];

type Arguments<Name extends keyof operations> = [
  ...IdArguments<Name>,
  ...BodyArguments<operations[Name]>,
  options?: CallOptions,
];

type ItemOf<Page> = Page extends { items: (infer Item)[] } | { stores: (infer Item)[] } ? Item : never;

type Method<One extends Endpoint> = One['kind'] extends 'list'
  ? (...given: Arguments<One['operation']>) => ListCall<ItemOf<Answer<One['operation']>>>
  : (...given: Arguments<One['operation']>) => ApiCall<Answer<One['operation']>>;

/** The methods of a part of the table. */
export type Methods<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Endpoint ? Method<Table[Name]> : Methods<Table[Name]>;
};
