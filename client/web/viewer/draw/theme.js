// Colours, light and dark. Bodies of one tag share a colour; without a tag, their id selects one. Components are sRGB
// from 0 to 1, mixed without linearisation.

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);

const DARK = {
  name: 'dark',
  middle: rgb('#151b2e'), corner: rgb('#090c16'), grid: rgb('#2b3657'),
  // outline's lightness, bevel, fill's opacity
  look: [1.32, 0.22, 0.80, 0],
  glow: 9,
  palette: ['#ff9f5a', '#4cc9f0', '#c792ff', '#5fe3a1', '#ff6b8b', '#ffd166', '#6c8cff', '#3fd9c9'].map(rgb),
  still: rgb('#56648c'), driven: rgb('#8b9bc7'), disabled: rgb('#3a425c'), asleep: rgb('#46506e'),
  line: rgb('#8fa0cc'), joint: rgb('#e8edff'), select: rgb('#ffffff'), contact: rgb('#ff5470'),
  normal: rgb('#ffd166'), impulse: rgb('#ff9f5a'), velocity: rgb('#6ef3c5'), spark: rgb('#ffe9b0'),
  area: rgb('#7aa2ff'), ghost: rgb('#b9c6f2'), label: '#dfe6ff', pull: rgb('#ffffff'), draw: rgb('#6ef3c5'),
  speed: ['#3b4cc0', '#2f8fe0', '#2ad0b8', '#b7e34a', '#ffc233', '#ff5a3d'].map(rgb),
};

const LIGHT = {
  name: 'light',
  middle: rgb('#fbfaf6'), corner: rgb('#ebe8df'), grid: rgb('#c8c3b4'),
  look: [0.70, 0.12, 0.90, 0],
  glow: 0,
  palette: ['#ef8a47', '#3a9fd0', '#9b72cf', '#43aa7b', '#e0607e', '#e3b23c', '#5a78d1', '#2ea59b'].map(rgb),
  still: rgb('#a9a79d'), driven: rgb('#7f8796'), disabled: rgb('#d3d0c6'), asleep: rgb('#c6c3b8'),
  line: rgb('#5d6270'), joint: rgb('#2d3142'), select: rgb('#11131a'), contact: rgb('#d1003f'),
  normal: rgb('#a86a00'), impulse: rgb('#d65a00'), velocity: rgb('#008a5c'), spark: rgb('#c06000'),
  area: rgb('#2f5fd0'), ghost: rgb('#4a5578'), label: '#22252f', pull: rgb('#11131a'), draw: rgb('#008a5c'),
  speed: ['#3b4cc0', '#3b8fc9', '#35a68f', '#8ba93a', '#d99a26', '#c8402f'].map(rgb),
};

export const THEMES = {dark: DARK, light: LIGHT};

/** The first name that is the name of a theme. An address may name anything. */
export const themeOf = (...names) => names.find((name) => name !== undefined && Object.hasOwn(THEMES, name));

function hash(text) {
  let value = 2166136261;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

const scramble = (id) => (Math.imul(id ^ (id >>> 15), 0x2c1b3c6d) >>> 0) / 4294967296;

// Tags get the palette's colours in the order in which they appear.
const tagColours = new Map();
const TAGS_MAX = 256;

export function forgetTags() {
  tagColours.clear();
}

function tagColour(tag, palette) {
  let index = tagColours.get(tag);
  if (index === undefined) {
    index = tagColours.size < TAGS_MAX ? tagColours.size : hash(tag);
    if (tagColours.size < TAGS_MAX) tagColours.set(tag, index);
  }
  return palette[index % palette.length];
}

/**
 * Writes a body's colour to `out` at `at`: red, green, blue, opacity. `mode`: 'tag', 'speed' or 'state'. `fade` (0 to
 * 1) dims sleeping bodies.
 */
export function bodyColour(theme, body, mode, asleep, out, at) {
  const map = body.description;
  const type = map?.type ?? 'dynamic';
  let colour;
  let opacity = 1;
  let light = 1;
  if (map?.enabled === false) {
    colour = theme.disabled;
    opacity = 0.5;
  } else if (type === 'static') {
    colour = theme.still;
  } else if (type === 'kinematic') {
    colour = theme.driven;
  } else if (mode === 'state') {
    colour = asleep ? theme.asleep : map?.bullet ? theme.palette[4] : theme.palette[3];
  } else if (mode === 'speed') {
    speedColour(theme, Math.hypot(body.vx, body.vy), asleep, out, at);
    return;
  } else {
    const spread = scramble(body.id);
    colour = map?.tag ? tagColour(map.tag, theme.palette)
                      : theme.palette[Math.floor(spread * 997) % theme.palette.length];
    light = 0.90 + 0.18 * spread;
    if (asleep) {
      // Sleeping bodies lose a third of their colour.
      const grey = theme.asleep;
      for (let i = 0; i < 3; i++) out[at + i] = (colour[i] * light) * 0.62 + grey[i] * 0.38;
      out[at + 3] = 1;
      return;
    }
  }
  out[at] = colour[0] * light;
  out[at + 1] = colour[1] * light;
  out[at + 2] = colour[2] * light;
  out[at + 3] = opacity;
}

// A scale from rest to 20 m/s and more, finer at low speeds.
function speedColour(theme, speed, asleep, out, at) {
  const stops = theme.speed;
  const share = asleep ? 0 : Math.min(0.9999, Math.sqrt(speed / 20)) * (stops.length - 1);
  const index = Math.floor(share);
  for (let i = 0; i < 3; i++) {
    out[at + i] = stops[index][i] + (stops[index + 1][i] - stops[index][i]) * (share - index);
  }
  out[at + 3] = 1;
}
