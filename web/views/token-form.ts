import { accessToken } from '../api.ts';
import { element } from '../element.ts';

/** A form for the access token. `onToken` is called once one is stored; it resolves to false if the server refuses it. */
export class TokenForm {
  readonly root: HTMLElement;
  readonly #field = element('input', {
    type: 'password',
    id: 'token',
    autocomplete: 'current-password',
    required: true,
    spellcheck: 'false',
    'aria-describedby': 'token-help',
  });
  readonly #refusal = element('p', { class: 'remark', role: 'alert' });

  constructor(onToken: () => Promise<void>) {
    this.root = element(
      'form',
      {
        class: 'token-form',
        hidden: true,
        onsubmit: (event: SubmitEvent) => {
          event.preventDefault();
          accessToken.set(this.#field.value.trim());
          void onToken();
        },
      },
      element('h1', {}, 'This server needs a token'),
      element('p', { id: 'token-help' }, 'Whoever runs it has one for you. It is kept in this tab until you close it.'),
      element('label', { for: 'token' }, 'Token'),
      element('div', { class: 'searchbar' }, this.#field, element('button', { type: 'submit', class: 'primary' }, 'Continue')),
      this.#refusal,
    );
  }

  /** Shows the form, and why a token was refused. */
  open(refusal = ''): void {
    this.#refusal.textContent = refusal;
    this.root.hidden = false;
    this.#field.select();
    this.#field.focus();
  }

  close(): void {
    this.root.hidden = true;
    this.#field.value = '';
  }
}
