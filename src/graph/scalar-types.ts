import type { JsonObject } from './builder.ts';

type Text = { Input: string; Output: string };
type WholeNumber = { Input: number; Output: number };
type Money = { Input: number; Output: number | bigint };

/**
 * The TypeScript types of each scalar, as input and as output. A domain adds those of its own scalars by declaration
 * merging (`domains/kyb/scalars.ts`), so that the graph imports no domain.
 */
export interface ScalarTypes {
  Amount: Money;
  AmountOrZero: Money;
  AmountSum: Text;
  BasePath: Text;
  BinPrefix: Text;
  ConfigVersion: WholeNumber;
  Count: { Input: number; Output: number | bigint };
  Country: Text;
  Currency: Text;
  Date: Text;
  DateOrDateTime: Text;
  DateTime: { Input: Date; Output: Date | string };
  DisputedAmount: Money;
  Email: Text;
  EventType: Text;
  FallbackOrder: WholeNumber;
  Handle: Text;
  IpAddress: Text;
  JSONObject: { Input: JsonObject; Output: unknown };
  Label: Text;
  ListLimit: WholeNumber;
  ListOffset: WholeNumber;
  Metadata: { Input: { [key: string]: string | number | boolean | null }; Output: unknown };
  MountAlias: Text;
  Name: Text;
  PageNumber: WholeNumber;
  PageSize: WholeNumber;
  Pattern: Text;
  PluginManifest: { Input: JsonObject; Output: unknown };
  Quantity: WholeNumber;
  RetryCount: WholeNumber;
  Revenue: { Input: number; Output: bigint };
  RouteWeight: WholeNumber;
  SentEventType: Text;
  ShortText: Text;
  SignedAmount: Money;
  Slug: Text;
  StaffAction: Text;
  Tag: Text;
  TtlHours: WholeNumber;
  Url: Text;
}
