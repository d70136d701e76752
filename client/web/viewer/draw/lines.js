// Lines of one frame: takes world positions, stores instances relative to the camera.

const LINES_MAX = 60000; // lines per frame; more are not drawn

export class Lines {
  constructor(buffer, camera) {
    this.buffer = buffer;
    this.camera = camera;
  }

  begin(buffer) {
    if (buffer) this.buffer = buffer; // a lost canvas is made again
    this.buffer.clear();
  }

  /** A line from a to b; `width` in CSS pixels, `dash` in pixels (0: none). */
  line(a, b, colour, width = 1.5, dash = 0) {
    const {buffer, camera} = this;
    if (buffer.count >= LINES_MAX) return;
    const at = buffer.add();
    const {data} = buffer;
    data[at] = a[0] - camera.x;
    data[at + 1] = a[1] - camera.y;
    data[at + 2] = b[0] - camera.x;
    data[at + 3] = b[1] - camera.y;
    data[at + 4] = colour[0];
    data[at + 5] = colour[1];
    data[at + 6] = colour[2];
    data[at + 7] = colour[3] ?? 1;
    data[at + 8] = width;
    data[at + 9] = dash;
  }

  /** A dot of `width` pixels in diameter. */
  dot(a, colour, width) {
    this.line(a, a, colour, width);
  }

  /** A ring of `width` pixels in diameter and `thick` pixels thick. */
  ring(a, colour, width, thick = 1.5) {
    this.line(a, a, colour, width, -thick);
  }

  arrow(a, b, colour, width = 1.5) {
    this.line(a, b, colour, width);
    const dx = b[0] - a[0];
    const dy = b[1] - a[1];
    const size = Math.hypot(dx, dy);
    const head = Math.min(size * 0.5, 7 / this.camera.scale);
    if (size * this.camera.scale < 4) return;
    for (const side of [1, -1]) {
      this.line(b, [b[0] - (dx * 0.87 - side * dy * 0.5) / size * head,
                    b[1] - (dy * 0.87 + side * dx * 0.5) / size * head], colour, width);
    }
  }

  /** A spring's zigzag; its coils widen under compression. */
  spring(a, b, colour, width = 1.5) {
    const dx = b[0] - a[0];
    const dy = b[1] - a[1];
    const size = Math.hypot(dx, dy);
    if (size * this.camera.scale < 12) {
      this.line(a, b, colour, width);
      return;
    }
    const coils = 10;
    const half = 5 / this.camera.scale;
    const nx = -dy / size * half;
    const ny = dx / size * half;
    let before = a;
    for (let i = 0; i <= coils; i++) {
      const t = 0.12 + 0.76 * (i / coils);
      const side = i === 0 || i === coils ? 0 : i % 2 ? 1 : -1;
      const next = [a[0] + dx * t + nx * side, a[1] + dy * t + ny * side];
      this.line(before, next, colour, width);
      before = next;
    }
    this.line(before, b, colour, width);
  }

  loop(points, colour, width, dash = 0) {
    for (let i = 0; i < points.length; i++) this.line(points[i], points[(i + 1) % points.length], colour, width, dash);
  }

  path(points, colour, width, dash = 0) {
    for (let i = 0; i + 1 < points.length; i++) this.line(points[i], points[i + 1], colour, width, dash);
  }
}
