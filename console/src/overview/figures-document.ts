import { graphql, type ResultOf } from '../graph/graphql.ts';

export const figuresDocument = graphql(`
  query Figures(
    $mode: Mode!, $from: Date!, $to: Date!, $beforeFrom: Date!, $beforeTo: Date!, $partnerSlug: Slug, $platformAccountId: ID
  ) {
    days: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: day) {
      key currency payments approved refused approvalRate capturedVolume refundedVolume disputedVolume netVolume
    }
    daysBefore: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $beforeFrom, to: $beforeTo, by: day) {
      key currency payments approved refused approvalRate capturedVolume
    }
    totals: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: currency) {
      currency payments approved refused approvalRate refunds disputes
      capturedVolume authorizedVolume refundedVolume disputedVolume netVolume
    }
    totalsBefore: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $beforeFrom, to: $beforeTo, by: currency) {
      currency payments approved refused approvalRate refunds disputes
      capturedVolume authorizedVolume refundedVolume disputedVolume netVolume
    }
    declines: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: declineCode) {
      key currency refused
    }
    processorTypes: figures(mode: $mode, partnerSlug: $partnerSlug, platformAccountId: $platformAccountId, from: $from, to: $to, by: processorType) {
      key currency payments approvalRate capturedVolume
    }
  }
`);

export type FiguresData = ResultOf<typeof figuresDocument>;
export type Day = NonNullable<FiguresData['days']>[number] | NonNullable<FiguresData['daysBefore']>[number];
export type Total = NonNullable<FiguresData['totals']>[number];
