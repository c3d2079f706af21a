/** The page's style sheet. Light and dark follow the system. */
export const style: string = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f4f5f7, #14161a);
  --card: light-dark(#fff, #1d2026);
  --line: light-dark(#dfe2e8, #31353d);
  --text: light-dark(#1b1e24, #e9ebef);
  --soft: light-dark(#626a78, #979fad);
  --blue: light-dark(#2258c9, #82aaff);
  --green: light-dark(#17733a, #6fd394);
  --red: light-dark(#b3261e, #ff8f86);
  --amber: light-dark(#8a5a00, #f0be5c);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
header { display: flex; align-items: baseline; gap: 1rem; padding: 1rem 1.5rem; border-bottom: 1px solid var(--line); }
h1 { font-size: 1.1rem; margin: 0; }
h2 { font-size: 1rem; margin: 1.5rem 0 .75rem; }
h3 { font: 600 .95rem ui-monospace, monospace; margin: 0 0 .75rem; }
small, time, footer, .empty { color: var(--soft); font-size: .8rem; }
#live { margin: 0; font-size: .8rem; color: var(--soft); }
#live.on { color: var(--green); }
main { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 2rem; padding: 0 1.5rem 3rem; max-width: 80rem; margin: 0 auto; }
@media (max-width: 50rem) { main { grid-template-columns: minmax(0, 1fr); padding: 0 1rem 2rem; } }
ol, ul { list-style: none; margin: 0; padding: 0; }
.thread, details { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin-bottom: 1rem; }
.tag { font: 600 .7rem system-ui, sans-serif; color: var(--blue); border: 1px solid currentColor; border-radius: 1rem; padding: .1rem .5rem; }
.bubble { border-left: 3px solid var(--line); padding-left: .9rem; margin-bottom: 1rem; }
.bubble:last-child { margin-bottom: 0; }
.bubble p { margin: .35rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.steps { display: inline; }
.steps li { display: inline; margin-left: .6rem; }
button { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: .5rem; padding: .3rem .8rem; cursor: pointer; }
button:hover { border-color: var(--blue); }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
.code { font: 700 1.7rem/1.2 ui-monospace, monospace; letter-spacing: .12em; color: var(--blue); }
.copied { border-color: var(--green); color: var(--green); }
.state { font-size: .7rem; font-weight: 600; color: var(--amber); text-transform: uppercase; letter-spacing: .04em; }
.delivered { color: var(--green); }
.failed { color: var(--red); }
details { padding: .6rem .9rem; margin-bottom: .5rem; }
summary { cursor: pointer; }
details li { margin: .4rem 0; }
.endpoints { margin-bottom: .75rem; }
.url, .endpoints, pre { font-family: ui-monospace, monospace; font-size: .8rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; background: var(--page); border-radius: .5rem; padding: .6rem; margin: .4rem 0; }
.env { background: var(--card); border: 1px solid var(--line); }
`;
