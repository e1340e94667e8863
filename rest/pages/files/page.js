/** The forms of the platform's pages. They are sent as JSON, which a page of another site cannot send with our cookie. */

for (const link of document.querySelectorAll('[data-with-return]'))
  link.href += `?redirect=${encodeURIComponent(location.pathname + location.search)}`;

for (const button of document.querySelectorAll('[data-shows]')) {
  const input = document.getElementById(button.dataset.shows);
  button.hidden = false;
  button.addEventListener('click', () => {
    const isShown = input.type === 'password';
    input.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', String(isShown));
    input.focus();
  });
  // A browser offers to keep what is in a field of this type only.
  input.form.addEventListener('submit', () => (input.type = 'password'));
}

for (const form of document.querySelectorAll('form[data-post]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });

async function send(form) {
  const button = form.querySelector('button:not([type=button])');
  const alert = form.querySelector('[role=alert]');
  const body = Object.fromEntries(new FormData(form));
  for (const name of ['ticket', 'token'])
    if (name in form.dataset) body[name] = new URLSearchParams(location.search).get(name);
  button.disabled = true;
  alert.textContent = '';
  try {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(form.dataset.post, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (response.ok && form.dataset.reveal) return reveal(form, answer);
    if (response.ok && 'reload' in form.dataset) return location.reload();
    if (response.ok) return location.assign(answer.redirectUrl || form.dataset.then || '../');
    alert.textContent = problemOf(form, response.status, answer);
  } catch {
    alert.textContent = document.body.getAttribute('data-problem-network');
  }
  button.disabled = false;
}

/** What the page says of an error, in its language: of the field, of the form, or of any. */
function problemOf(form, status, answer) {
  const field = answer.data?.issues?.[0]?.path;
  const names = [field && `data-wrong-${field}`, `data-problem-${status}`].filter(Boolean);
  const said = [form, document.body].flatMap((element) => names.map((name) => element.getAttribute(name)));
  return said.find((text) => text !== null) ?? (status < 500 ? answer.message : document.body.dataset.problem);
}

function reveal(form, answer) {
  const part = document.getElementById(form.dataset.reveal);
  for (const slot of part.querySelectorAll('[data-value]')) {
    const value = [answer[slot.dataset.value]].flat().join('\n');
    if (slot.tagName === 'A') slot.href = value;
    else slot.textContent = value;
  }
  form.hidden = true;
  part.hidden = false;
}
