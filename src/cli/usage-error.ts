import { ConfigError } from '../runtime/config.ts';

/** Wrong arguments of a command. The message is shown to the user. */
export class UsageError extends ConfigError {
  /** Where to read how the command is used. */
  readonly help: string | undefined;

  constructor(message: string, help?: string) {
    super(message);
    this.help = help;
  }
}
