/** A button at each block of code that copies it. Browsers have a clipboard on https and on this machine only. */
const blocks = navigator.clipboard ? document.querySelectorAll('.code') : [];
for (const block of blocks) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => void copy(block.querySelector('code').textContent, button));
  block.append(button);
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text);
  button.textContent = 'Copied';
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}
