/** One message to one recipient. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Sends mail after the change that it reports was committed. Sending a message twice must be harmless. */
export interface Mailer {
  /** `kept`: mail is stored as files and not delivered. */
  readonly kind: 'smtp' | 'kept';
  send(mail: Mail): Promise<void>;
}

export interface SavedMail extends Mail {
  at: string;
}
