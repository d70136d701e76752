// Names of worlds.

const NAME_MAX = 64; // characters of a name; the server's limit

/** `wanted`, with a number if a world of that name exists. */
export function freeName(wanted, worlds) {
  const taken = new Set(worlds.map((info) => info.world));
  const base = wanted.replace(/[^A-Za-z0-9_.-]+/g, '-').slice(0, NAME_MAX - 5) || 'world';
  if (!taken.has(base)) return base;
  for (let i = 2;; i++) if (!taken.has(`${base}-${i}`)) return `${base}-${i}`;
}
