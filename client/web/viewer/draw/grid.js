// The grid on the ground: a fine and a coarse step of powers of ten, which follow the zoom, and the axes.

const CELL_PX = 12; // least width of the fine step
const LINES_MAX = 400; // with more lines the grid would cover everything

export function drawGrid(lines, camera, theme) {
  const power = Math.log10(CELL_PX / camera.scale);
  const fine = 10 ** Math.ceil(power);
  const strength = Math.min(1, (Math.ceil(power) - power) * 1.4);
  const [x0, y0, x1, y1] = camera.area();
  if ((x1 - x0 + y1 - y0) / fine > LINES_MAX) return;
  const faint = [...theme.grid, 0.25 * strength];
  const strong = [...theme.grid, 0.5];
  const axis = [...theme.grid, 1];
  const colourOf = (i) => (i === 0 ? axis : i % 10 === 0 ? strong : faint);
  for (let i = Math.ceil(x0 / fine); i * fine <= x1; i++) lines.line([i * fine, y0], [i * fine, y1], colourOf(i), 1);
  for (let i = Math.ceil(y0 / fine); i * fine <= y1; i++) lines.line([x0, i * fine], [x1, i * fine], colourOf(i), 1);
}
