/** The style of the platform's own pages, for light and dark screens and from 320 px on. */
export const style = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --ink: #1b1f24; --soft: #5a6472; --line: #dfe3e9;
  --link: #1a56db; --code: #f4f5f7; --good: #17663a; --on: #fff }
@media (prefers-color-scheme: dark) { :root { --ground: #0f1216; --card: #181c22; --ink: #e8ebef; --soft: #a0a9b5;
  --line: #2d343d; --link: #8ab0ff; --code: #0f1216; --good: #7ed9a4; --on: #0f1216 } }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: var(--ground); color: var(--ink) }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
main.small { max-width: 32rem; padding-top: 16vh }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; letter-spacing: -.01em }
h2 { font-size: 1rem; margin: 0 0 .75rem }
p { margin: .5rem 0 }
a { color: var(--link) }
a:focus-visible, button:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
header { display: flex; align-items: center; gap: .75rem; margin-bottom: 1.5rem }
header img { width: 2.25rem; height: 2.25rem; flex: none }
header p, .soft { color: var(--soft); margin: 0 }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.25rem;
  margin-top: 1rem }
section.who { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center; justify-content: space-between }
.who form, .who div { margin: 0 }
.acts { display: flex; gap: .5rem; align-items: center }
button, .button { font: inherit; display: inline-block; padding: .45rem .9rem; border-radius: 8px; cursor: pointer;
  border: 1px solid var(--link); background: var(--link); color: var(--on); text-decoration: none }
button.plain, .button.plain { background: none; color: var(--link); border-color: var(--line) }
[role=alert]:empty { display: none }
ul { list-style: none; margin: 0; padding: 0 }
li { padding: .55rem 0; border-top: 1px solid var(--line) }
li:first-child { border-top: 0; padding-top: 0 }
li:last-child { padding-bottom: 0 }
li a { font-weight: 600 }
li span { display: block; color: var(--soft); font-size: .9rem }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .4rem 1.25rem; margin: 0 }
dt { color: var(--soft) }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
code, pre { font: .85rem/1.5 ui-monospace, monospace }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; margin: .75rem 0 0;
  white-space: pre-wrap; overflow-wrap: anywhere }
.status { color: var(--soft); font-variant-numeric: tabular-nums; margin: 0 0 .25rem }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem }
  main { padding-top: 1.5rem } }
`;

/** The mark of the platform: two cards, one behind the other. */
export const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#1a56db"/>
<rect x="10" y="8" width="15" height="10" rx="2" fill="#fff" fill-opacity=".5"/>
<rect x="7" y="13" width="15" height="11" rx="2" fill="#fff"/>
<rect x="7" y="16" width="15" height="2.5" fill="#1a56db"/>
</svg>
`;
