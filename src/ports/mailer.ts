/** One message to one person. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** How mail leaves the house. It is sent after the change it tells of is committed, and sending again does no harm. */
export interface Mailer {
  /** `kept`: the mail is a file to look at, and reaches nobody. */
  readonly kind: 'smtp' | 'kept';
  send(mail: Mail): Promise<void>;
}
