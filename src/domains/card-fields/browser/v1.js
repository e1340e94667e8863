/**
 * Card fields of the Partner Payments Platform, version 1. The fields are in a frame of the platform: this script and
 * the page that loads it never see what is entered.
 *
 *   const fields = PartnerFields.create({ clientSecret, locale? });
 *   fields.mount(element, { appearance?: { variables: Record<string, string> } });
 *   fields.on('ready' | 'change' | 'enter' | 'error', handler);   // returns a function that removes the handler
 *   await fields.submit();              // { token, card: { brand, last4, expMonth, expYear } }
 *   await fields.confirm({ url });      // { status: 'returned' | 'closed' }
 *   fields.focus(); fields.unmount();
 *
 * Errors are PartnerFields.Error: `code`, `message` for the visitor, `isShown` if the visitor sees the message already,
 * and `fields` with what is wrong for code `incomplete_card`.
 */
(() => {
  const script = document.currentScript;
  if (!script?.src) throw new Error('Card fields: load the script with <script src>, not as a module.');
  const root = new URL('.', script.src);
  const texts = {
    en: {
      card: 'Card details',
      bank: 'Confirm with your bank',
      unavailable: 'The card form could not be loaded. Check your connection and try again.',
      again: 'Try again',
    },
    de: {
      card: 'Angaben zur Karte',
      bank: 'Bei Ihrer Bank bestätigen',
      unavailable: 'Das Kartenformular konnte nicht geladen werden. Prüfen Sie Ihre Verbindung.',
      again: 'Erneut versuchen',
    },
  };
  /** How long a frame may take to load, and then to answer. A page that the browser refuses to show loads too. */
  const loadMs = 15_000;
  const answerMs = 4_000;

  class FieldsError extends Error {
    constructor({ code, message, fields }, isShown) {
      super(message);
      this.name = 'FieldsError';
      this.code = code;
      this.isShown = isShown;
      if (fields) this.fields = fields;
    }
  }

  /**
   * A frame of the platform and a private line to it. The line is handed to the frame's window at the platform's origin
   * only, so that no other page can read it or write to it. `lost` is called once if the frame does not answer.
   */
  function openFrame(path, title, init, { heard, lost }) {
    const frame = document.createElement('iframe');
    frame.title = title;
    frame.referrerPolicy = 'origin';
    frame.allow = 'payment';
    Object.assign(frame.style, { border: '0', display: 'block', colorScheme: 'light' });
    let line = null;
    let timer = setTimeout(() => lost(), loadMs);
    frame.addEventListener('load', () => {
      // Also after a reload of the frame, which happens when it is moved in the page.
      line?.close();
      clearTimeout(timer);
      timer = setTimeout(() => lost(), answerMs);
      const { port1, port2 } = new MessageChannel();
      line = port1;
      line.addEventListener('message', ({ data }) => {
        clearTimeout(timer);
        heard(data);
      });
      line.start();
      frame.contentWindow?.postMessage({ type: 'platform-fields/init', ...init }, root.origin, [port2]);
    });
    frame.src = new URL(path, root).href;
    return {
      frame,
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port has one other end
      send: (message) => line?.postMessage(message),
      close: () => {
        clearTimeout(timer);
        line?.close();
        frame.remove();
      },
    };
  }

  class CardFields {
    #secret;
    #sessionId;
    #locale;
    #words;
    #handlers = new Map();
    #container = null;
    #options = {};
    #opened = null;
    #waiting = new Map();
    #submitting = null;
    #submits = 0;

    constructor({ clientSecret, locale }) {
      const [, id] = /^(cs_[0-9A-Za-z]{22})_secret_[\w-]{43}$/.exec(clientSecret) ?? [];
      if (!id) throw new TypeError('Card fields: clientSecret must be that of a client session.');
      this.#secret = clientSecret;
      this.#sessionId = id;
      this.#locale = locale === 'auto' ? undefined : locale;
      const wanted = this.#locale ? [this.#locale] : navigator.languages;
      this.#words = texts[(wanted.find((tag) => texts[tag.slice(0, 2)]) ?? 'en').slice(0, 2)];
    }

    on(name, handler) {
      const handlers = this.#handlers.get(name) ?? new Set();
      this.#handlers.set(name, handlers.add(handler));
      return () => handlers.delete(handler);
    }

    mount(target, options = {}) {
      const container = typeof target === 'string' ? document.querySelector(target) : target;
      if (!container) throw new TypeError(`Card fields: there is no element ${target}.`);
      this.unmount();
      this.#container = container;
      this.#options = options;
      this.#load();
      return this;
    }

    unmount() {
      this.#opened?.close();
      this.#opened = null;
      this.#container?.replaceChildren();
      this.#fail({ code: 'network', message: this.#words.unavailable });
    }

    focus() {
      this.#opened?.frame.focus();
      this.#opened?.send({ type: 'focus' });
    }

    /** Makes the token. Calls at once and after success have one result. */
    submit() {
      this.#submitting ??= this.#send().catch((error) => {
        this.#submitting = null;
        throw error;
      });
      return this.#submitting;
    }

    /** Shows a challenge in a layer over the page. Ask your server for the outcome when it has returned. */
    confirm(requireAction) {
      const url = requireAction?.url;
      if (typeof url !== 'string')
        throw new TypeError('Card fields: confirm takes the requireActionData of a payment.');
      return new Promise((resolve, reject) => {
        const layer = document.createElement('dialog');
        layer.setAttribute('aria-label', this.#words.bank);
        Object.assign(layer.style, layerStyle);
        const end = (resolve) => {
          opened.close();
          layer.remove();
          resolve();
        };
        const opened = openFrame(
          `challenge/${this.#sessionId}`,
          this.#words.bank,
          { url, locale: this.#locale },
          {
            heard: ({ type, error }) => {
              if (type === 'returned' || type === 'closed') end(() => resolve({ status: type }));
              if (type === 'error') end(() => reject(new FieldsError(error, false)));
            },
            lost: () =>
              end(() => reject(new FieldsError({ code: 'network', message: this.#words.unavailable }, false))),
          },
        );
        Object.assign(opened.frame.style, layerFrameStyle);
        layer.addEventListener('cancel', (event) => {
          event.preventDefault();
          end(() => resolve({ status: 'closed' }));
        });
        layer.append(opened.frame);
        document.body.append(layer);
        layer.showModal();
      });
    }

    #load() {
      this.#opened = openFrame(
        `frame/${this.#sessionId}`,
        this.#words.card,
        { clientSecret: this.#secret, locale: this.#locale, appearance: this.#options.appearance },
        { heard: (message) => this.#hear(message), lost: () => this.#lose() },
      );
      // The page in the frame leaves 3 pixels at its edges for the focus ring.
      Object.assign(this.#opened.frame.style, { width: 'calc(100% + 6px)', margin: '-3px', height: '210px' });
      this.#container.replaceChildren(this.#opened.frame);
    }

    #hear({ type, height, change, error, id, result }) {
      if (type === 'resize') this.#opened.frame.style.height = `${Math.min(Number(height) || 0, 1_000)}px`;
      if (type === 'ready' || type === 'enter') this.#emit(type);
      if (type === 'change') this.#emit(type, change);
      if (type === 'error') this.#emit(type, new FieldsError(error, error.code !== 'invalid_appearance'));
      if (type !== 'result') return;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error) waiting?.reject(new FieldsError(error, true));
      else waiting?.resolve(result);
    }

    /** The frame did not load, or the browser refused to show it here: the visitor can try again. */
    #lose() {
      const problem = { code: 'frame_unavailable', message: this.#words.unavailable };
      this.#opened?.close();
      this.#opened = null;
      const text = Object.assign(document.createElement('p'), { textContent: problem.message });
      text.setAttribute('role', 'alert');
      const again = Object.assign(document.createElement('button'), { type: 'button', textContent: this.#words.again });
      again.addEventListener('click', () => this.#load());
      this.#container.replaceChildren(text, again);
      this.#fail(problem);
      this.#emit('error', new FieldsError(problem, true));
    }

    #send() {
      if (!this.#opened)
        return Promise.reject(new FieldsError({ code: 'frame_unavailable', message: this.#words.unavailable }, true));
      return new Promise((resolve, reject) => {
        const id = ++this.#submits;
        this.#waiting.set(id, { resolve, reject });
        this.#opened.send({ type: 'submit', id });
      });
    }

    #fail(problem) {
      for (const { reject } of this.#waiting.values()) reject(new FieldsError(problem, false));
      this.#waiting.clear();
    }

    #emit(name, value) {
      for (const handler of this.#handlers.get(name) ?? []) handler(value);
    }
  }

  const layerStyle = {
    position: 'fixed',
    inset: '0',
    width: '100vw',
    height: '100dvh',
    maxWidth: 'none',
    maxHeight: 'none',
    margin: '0',
    padding: '0',
    border: '0',
    background: 'rgb(15 23 42 / 60%)',
  };
  const layerFrameStyle = {
    position: 'absolute',
    inset: '0',
    margin: 'auto',
    borderRadius: '12px',
    width: 'min(100%, 500px)',
    height: 'min(100%, 640px)',
    colorScheme: 'light dark',
  };

  window.PartnerFields = Object.freeze({
    version: 1,
    Error: FieldsError,
    create: (options) => new CardFields(options),
  });
})();
