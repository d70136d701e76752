// Search over all sections of the documentation, without a server: search-index.js has their text, and is loaded when
// the field is first used. A script of its own rather than JSON, so that it also works from a file:// address.
const field = document.getElementById('site-search');
const list = document.getElementById('site-results');
const root = document.body.dataset.root;
const RESULTS_MAX = 20;
const EXCERPT_CHARS = 160;
let loading; // a promise of the index

function load() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}/search-index.js`;
    script.onload = () => resolve(read(window.CAROM_SEARCH));
    script.onerror = () => reject(new Error('the search index could not be loaded'));
    document.head.append(script);
  });
  return loading;
}

function read(rows) {
  return rows.map(([file, anchor, page, title, text]) => (
    {file, anchor, page, title, text, low: text.toLowerCase(), lowTitle: title.toLowerCase()}));
}

// A section must have every word. A word in its heading counts more than one in its text, all words together more than apart, and
// the beginning of a word more than its middle.
function score(row, words) {
  let sum = words.length > 1 && row.low.includes(words.join(' ')) ? 6 : 0;
  for (const word of words) {
    const inTitle = row.lowTitle === word ? 30 : row.lowTitle.split(/[^a-z0-9_.]+/).includes(word) ? 15 : row.lowTitle.includes(word) ? 8 : 0;
    const at = row.low.indexOf(word);
    if (inTitle === 0 && at < 0) return 0;
    sum += inTitle || (row.low.includes(` ${word}`) || at === 0 ? 2 : 1);
  }
  return sum;
}

function find(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return rows.map((row, i) => ({row, i, score: score(row, words)})).filter((r) => r.score > 0)
    .sort((a, b) => b.score - a.score || a.i - b.i).slice(0, RESULTS_MAX).map(({row}) => ({row, words}));
}

function excerpt(row, words) {
  const at = Math.max(0, Math.min(...words.map((w) => row.low.indexOf(w)).filter((i) => i >= 0), row.text.length) - 40);
  const from = at >= row.text.length ? 0 : at;
  // Whole words: from the one that begins behind `from`, to the last one that ends within the length.
  let text = row.text.slice(from, from + EXCERPT_CHARS);
  if (from + EXCERPT_CHARS < row.text.length) text = `${text.replace(/\s+\S*$/, '')} …`;
  return from > 0 ? `… ${/\s/.test(row.text[from - 1]) ? text : text.replace(/^\S+\s+/, '')}` : text;
}

function marked(text, words) {
  const parts = document.createDocumentFragment();
  const low = text.toLowerCase();
  for (let i = 0; i < text.length;) {
    const next = words.map((w) => [low.indexOf(w, i), w.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0])[0];
    parts.append(text.slice(i, next ? next[0] : undefined));
    if (!next) break;
    const mark = document.createElement('mark');
    mark.textContent = text.slice(next[0], next[0] + next[1]);
    parts.append(mark);
    i = next[0] + next[1];
  }
  return parts;
}

function show(found) {
  list.replaceChildren();
  list.hidden = field.value.trim() === '';
  for (const {row, words} of found) {
    const link = document.createElement('a');
    link.href = `${root}/${row.file}${row.anchor ? `#${row.anchor}` : ''}`;
    const title = document.createElement('b');
    title.append(marked(row.title || row.page, words));
    const page = document.createElement('small');
    page.textContent = row.page;
    link.append(title, page, marked(excerpt(row, words), words));
    list.append(link);
  }
  if (found.length === 0) say('Nothing has all of these words.');
}

function say(text) {
  const line = document.createElement('p');
  line.textContent = text;
  list.replaceChildren(line);
}

field.addEventListener('focus', () => { load().catch(() => {}); });
field.addEventListener('input', () => {
  load().then((rows) => show(find(rows, field.value)), (error) => { list.hidden = false; say(error.message); });
});
field.form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
document.addEventListener('click', (event) => {
  if (!list.contains(event.target) && event.target !== field) list.hidden = true;
  else if (event.target.closest?.('#site-results a')) list.hidden = true;
});
document.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === 'Escape') {
    list.hidden = true;
    field.blur();
  } else if (!list.hidden && (event.key === 'ArrowDown' || event.key === 'ArrowUp') && links.length > 0) {
    event.preventDefault();
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    (next < 0 ? field : links[Math.min(next, links.length - 1)]).focus();
  }
});
