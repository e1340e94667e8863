/** The style of small pages with one card in the middle: a heading, a text, and one or two buttons. */
export const cardPageStyle = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: #f4f5f7; color: #1b1f24 }
main { background: #fff; border-radius: 12px; box-shadow: 0 1px 3px #0002; padding: 2rem; max-width: 24rem }
h1 { font-size: 1.25rem; margin: 0 0 .5rem }
form { display: flex; gap: .75rem; margin-top: 1.5rem }
button { flex: 1; font: inherit; padding: .6rem; border-radius: 8px; border: 1px solid #1a56db; cursor: pointer;
  background: #1a56db; color: #fff }
button.secondary { background: #fff; color: #1a56db }
small { color: #5a6472 }
`;
