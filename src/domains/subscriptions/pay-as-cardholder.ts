import { afterChange } from '../../database/through-outage.ts';
import type { Services } from '../../services.ts';
import { type Write, write } from '../../write/write.ts';
import { lockCustomer } from '../customers/public.ts';
import { asCardAttempt, createPaymentInstrument, tokenizeCard } from '../instruments/public.ts';
import { abandonChallenge } from '../payments/public.ts';
import {
  type CardholderRequest,
  type CardholderVisit,
  isChallenged,
  isOwed,
  openCardholderVisit,
  overError,
  paymentUnderWay,
} from './cardholder-visit.ts';
import { chargeOpenPeriod, followPayment } from './charge-period.ts';
import { reopenPeriod } from './open-period.ts';
import { atSubscriptionsTime, lockSubscription } from './subscription-rows.ts';
import { instrumentFor } from './subscription-terms.ts';
import type { PeriodRow } from './types.ts';

/** A card as its holder enters it. */
export interface CardholdersCard {
  cardNumber: string;
  expMonth: number;
  expYear: number;
  cvc: string;
  cardholderName: string | null;
}

/**
 * Charges the period that is owed, as the cardholder asks on the hosted page: the card of the subscription, or another
 * one, which becomes that of the subscription when it has paid. While another charge of the period is under way nothing
 * is charged, so that the period is paid once; a challenge that waits is given up for another card. Nothing is charged
 * if the period costs another amount by now than `amount`, which the page has shown; null is not compared.
 */
export async function payAsCardholder(
  services: Services,
  from: CardholderRequest,
  amount: number | null,
  card: CardholdersCard | null,
): Promise<void> {
  const visit = { ...(await openCardholderVisit(services, from)), amount };
  if (isOther(visit.period, amount)) return;
  const pay = (): Promise<void> => payOnce(services, from, visit, card);
  if (visit.subscription.chargingSince === null) await pay();
  else if (card && (await giveUpChallenge(visit))) await afterChange(pay);
}

/** What the cardholder agrees to pay, in minor units. */
type Paying = CardholderVisit & { amount: number | null };

function isOther(period: PeriodRow, amount: number | null): boolean {
  return amount !== null && amount !== Number(period.amount);
}

function payOnce(
  services: Services,
  { ip }: CardholderRequest,
  visit: Paying,
  card: CardholdersCard | null,
): Promise<void> {
  const { context, linkId, subscription } = visit;
  const { storeId, customerId } = subscription;
  return asCardAttempt(services, { sessionId: linkId, storeId, ip }, async () => {
    if (!card) return charge(visit, null);
    // In real time, to which tokens belong.
    const { token } = await tokenizeCard(context, { storeId, ...card });
    return afterChange(async () => {
      const { paymentInstrument } = await createPaymentInstrument(context, { storeId, token, customerId });
      return charge(visit, paymentInstrument.id);
    });
  });
}

/** Charges the period with the instrument, or that of the subscription if none is named. */
function charge(visit: Paying, named: string | null): Promise<void> {
  const { context, subscription } = visit;
  return atSubscriptionsTime(context, subscription.id, async () => {
    const isOpen = await write(context, 'payAsCardholder', (change) => open(change, visit, named));
    if (isOpen) await chargeOpenPeriod(context, subscription.id);
  });
}

/** Ends a challenge that the cardholder has not answered. False if the charge goes on, or has ended otherwise. */
async function giveUpChallenge(visit: CardholderVisit): Promise<boolean> {
  const { context, subscription } = visit;
  const payment = await paymentUnderWay(visit);
  if (!isChallenged(payment)) return false;
  return atSubscriptionsTime(context, subscription.id, async () => {
    await abandonChallenge(context.services, payment.id);
    return afterChange(async () => {
      await followPayment(context, subscription.id);
      const { status } = await context.services.prisma.payment.findUniqueOrThrow({ where: { id: payment.id } });
      return status === 'failed';
    });
  });
}

/** Opens the period for the charge. False if another tab or the job was faster, or its amount has changed. */
async function open(
  change: Write,
  { context, linkId, amount, period: { index }, subscription: { id, customerId, platformAccountId } }: Paying,
  named: string | null,
): Promise<boolean> {
  const { tx } = change;
  const before = await lockSubscription(tx, context.caller, id);
  if (!isOwed(before, linkId)) throw overError();
  if (before.chargingSince !== null) return false;
  const period = await tx.subscriptionPeriod.findUniqueOrThrow({
    where: { subscriptionId_index: { subscriptionId: id, index } },
  });
  if (isOther(period, amount)) return false;
  if (named !== null) {
    // Otherwise the card could be deleted at the same time.
    await lockCustomer(tx, customerId);
    await instrumentFor(tx, { id: customerId, platformAccountId }, named);
  }
  await reopenPeriod(change, before, named ?? before.paymentInstrumentId);
  return true;
}
