// Checks of the names that a program gives: options, handlers, events. An unknown name would be passed over without a
// word, and its purpose would never be served: it is an error that lists the known names, and the most similar one.

const WORD_MAX = 32; // longer words are not compared

// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other, as in the server's
// common/base/suggest.c.
function slips(a, b) {
  const rows = [[...Array(b.length + 1).keys()]];
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2][j - 2] + 1 : Infinity;
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] !== b[j - 1]), swapped);
    }
  }
  return rows[a.length][b.length];
}

/** "; did you mean 'radius'?", or '' if no word is near enough: at most one slip in three characters. */
export function meant(given, words) {
  let best = null;
  let least = Infinity;
  const text = String(given).toLowerCase();
  for (const word of text.length > WORD_MAX ? [] : words) {
    const count = word.length > WORD_MAX ? Infinity : slips(text, word.toLowerCase());
    if (count < least && count <= Math.floor(Math.max(text.length, word.length) / 3)) [best, least] = [word, count];
  }
  return best === null ? '' : `; did you mean '${best}'?`;
}

/** Why options are refused: `where: there is no option 'x'; there are …`; '' if each is in `known`. Symbols are this package's own. */
export function whyNotOptions(where, options, known) {
  if (options === undefined) return '';
  if (options === null || typeof options !== 'object') return `${where}: options are an object, got ${options}`;
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return '';
  const there = known.length === 1 ? `there is ${known[0]}` : `there are ${known.join(', ')}`;
  return `${where}: there is no option '${unknown}'; ${there}${meant(unknown, known)}`;
}
