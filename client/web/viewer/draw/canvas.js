// Draws a world on a WebGL2 canvas: a ground, every shape as an instance, lines under and over them.
//
// Shapes are uploaded when bodies come, go or change; each frame uploads two texels a body: its pose and colour. Kinds
// are drawn one after the other, in two layers: moving bodies over static ones. Bodies of several shapes come after
// those of one, and show no seams between them.

import {InstanceBuffer, makeProgram} from './gl.js';
import {GROUND_COLUMNS, GROUND_FRAGMENT, GROUND_ROWS, GROUND_VERTEX, LINE_FRAGMENT, LINE_VERTEX,
        SHAPE_FRAGMENT, SHAPE_VERTEX} from './shaders.js';

export const CIRCLE = 0;
export const CAPSULE = 1;
export const BOX = 2;
export const POLYGON = 3;
const KINDS = 4;
const LAYERS = 2;
const UNION = '#define UNION\n';
const BODIES_A_ROW = 512; // must equal BODIES_A_ROW of the shader
const SHAPE_LAYOUT = [4, 4, 4, 4, 4];
const LINE_LAYOUT = [4, 4, 2];
export const DPR_MAX = 2; // higher resolutions cost more than they show

export class Canvas {
  constructor(element) {
    this.element = element;
    this.gl = element.getContext('webgl2', {antialias: false, alpha: false, depth: true, stencil: true,
                                            powerPreference: 'high-performance'});
    if (!this.gl) throw new Error('this browser has no WebGL2');
    this.width = 1;
    this.height = 1;
    this.dpr = 1;
    /** Whether to draw halos, the light on the ground and all pixels of the screen; false is plainer and faster. */
    this.fine = true;
    this.#make();
    element.addEventListener('webglcontextlost', (event) => event.preventDefault());
    element.addEventListener('webglcontextrestored', () => {
      this.#make();
      this.onrestored?.();
    });
  }

  #make() {
    const {gl} = this;
    this.shapePrograms = new Map(); // compiled on first use
    this.lineProgram = makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.groundProgram = makeProgram(gl, GROUND_VERTEX, GROUND_FRAGMENT);
    this.shapes = [];
    for (let i = 0; i < KINDS * LAYERS * 2; i++) this.shapes.push(new InstanceBuffer(gl, SHAPE_LAYOUT));
    this.grid = new InstanceBuffer(gl, LINE_LAYOUT);
    this.below = new InstanceBuffer(gl, LINE_LAYOUT); // lines below moving bodies
    this.lines = new InstanceBuffer(gl, LINE_LAYOUT); // lines above everything
    this.empty = gl.createVertexArray();
    this.bodies = new Float32Array(0);
    this.rows = 0;
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthFunc(gl.LEQUAL);
    gl.stencilFunc(gl.EQUAL, 0, 0xff);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    for (let kind = 0; kind < KINDS; kind++) this.#shapeProgram(kind, false);
  }

  #shapeProgram(kind, union) {
    const key = kind + (union ? KINDS : 0);
    let program = this.shapePrograms.get(key);
    if (!program) {
      const define = `#define KIND ${kind}\n${union ? UNION : ''}`;
      program = makeProgram(this.gl, define + SHAPE_VERTEX, define + SHAPE_FRAGMENT);
      this.shapePrograms.set(key, program);
    }
    return program;
  }

  /** Adopts the size of its element. Returns whether it changed. */
  resize() {
    this.dpr = Math.min(globalThis.devicePixelRatio || 1, this.fine ? DPR_MAX : 1);
    const {clientWidth, clientHeight} = this.element;
    const width = Math.max(1, Math.round(clientWidth * this.dpr));
    const height = Math.max(1, Math.round(clientHeight * this.dpr));
    if (width === this.element.width && height === this.element.height) return false;
    this.element.width = this.width = width;
    this.element.height = this.height = height;
    return true;
  }

  /** Makes space for the texels of `count` bodies, eight floats each. */
  bodyTexels(count) {
    const rows = Math.max(1, Math.ceil(count / BODIES_A_ROW));
    if (rows > this.rows) {
      this.rows = Math.ceil(rows * 1.5);
      this.bodies = new Float32Array(this.rows * BODIES_A_ROW * 8);
      const {gl} = this;
      gl.bindTexture(gl.TEXTURE_2D, this.texture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, BODIES_A_ROW * 2, this.rows, 0, gl.RGBA, gl.FLOAT,
                    null);
    }
    return this.bodies;
  }

  uploadBodies(count) {
    this.slots = count;
    const rows = Math.ceil(count / BODIES_A_ROW);
    if (rows === 0) return;
    const {gl} = this;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, BODIES_A_ROW * 2, rows, gl.RGBA, gl.FLOAT, this.bodies);
  }

  clearShapes() {
    for (const buffer of this.shapes) buffer.clear();
  }

  uploadShapes() {
    for (const buffer of this.shapes) buffer.upload();
  }

  /** The buffer of a kind in a layer: 0 for static, 1 for moving bodies. `union`: bodies of several shapes. */
  layer(kind, layer, union) {
    return this.shapes[((union ? 1 : 0) * LAYERS + layer) * KINDS + kind];
  }

  draw(camera, theme) {
    const {gl} = this;
    gl.viewport(0, 0, this.width, this.height);
    const scale = camera.scale * this.dpr; // device pixels per metre
    const view = [2 * scale / this.width, 2 * scale / this.height, scale, this.dpr];
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    this.#drawGround(theme);
    this.#drawLines(this.grid, view);
    this.#drawShapes(0, theme, view);
    this.#drawLines(this.below, view);
    this.#drawShapes(1, theme, view);
    this.#drawLines(this.lines, view);
    gl.bindVertexArray(null);
  }

  #drawGround(theme) {
    const {gl} = this;
    if (!this.fine) {
      gl.clearColor(...theme.middle, 1);
      gl.clear(gl.COLOR_BUFFER_BIT);
      return;
    }
    const {program, uniforms} = this.groundProgram;
    gl.useProgram(program);
    gl.uniform3fv(uniforms.u_middle, theme.middle);
    gl.uniform3fv(uniforms.u_corner, theme.corner);
    gl.disable(gl.BLEND);
    gl.bindVertexArray(this.empty);
    gl.drawArrays(gl.TRIANGLES, 0, GROUND_COLUMNS * GROUND_ROWS * 6);
    gl.enable(gl.BLEND);
  }

  #drawShapes(layer, theme, view) {
    this.#drawKinds(layer, {union: false, glow: this.#glow(layer, false, theme, view)}, theme, view);
    if (this.#countOf(layer, true) === 0) return;
    const glow = this.#glow(layer, true, theme, view);
    if (glow > 0) this.#drawUnion(layer, glow, theme, view);
    this.#drawUnion(layer, 0, theme, view);
  }

  // With `glow` draws the halos, else the bodies: first the depths, then once per pixel the shape with the least depth.
  #drawUnion(layer, glow, theme, view) {
    const {gl} = this;
    gl.clear(gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.colorMask(false, false, false, false);
    this.#drawKinds(layer, {union: true, glow}, theme, view);
    gl.colorMask(true, true, true, true);
    gl.enable(gl.STENCIL_TEST);
    this.#drawKinds(layer, {union: true, glow}, theme, view);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.DEPTH_TEST);
  }

  #countOf(layer, union) {
    let count = 0;
    for (let kind = 0; kind < KINDS; kind++) count += this.layer(kind, layer, union).count;
    return count;
  }

  // The reach of halos [px]; 0 when bodies are many and small, where they do not pay.
  #glow(layer, union, theme, view) {
    const pays = this.fine && layer === 1 && view[2] > 14 * this.dpr && this.#countOf(layer, union) < 4000;
    return pays ? theme.glow : 0;
  }

  #drawKinds(layer, {union, glow}, theme, view) {
    const {gl} = this;
    for (let kind = 0; kind < KINDS; kind++) {
      const buffer = this.layer(kind, layer, union);
      if (buffer.count === 0) continue;
      const {program, uniforms} = this.#shapeProgram(kind, union);
      gl.useProgram(program);
      gl.uniform4fv(uniforms.u_view, view);
      gl.uniform4fv(uniforms.u_look, theme.look);
      gl.uniform1f(uniforms.u_glow, glow);
      if (union) {
        gl.uniform1f(uniforms.u_slots, this.slots);
        gl.uniform3fv(uniforms.u_ground, theme.middle);
        gl.uniform3fv(uniforms.u_select, theme.select);
      }
      buffer.draw();
    }
  }

  #drawLines(buffer, view) {
    if (buffer.count === 0) return;
    const {gl} = this;
    gl.useProgram(this.lineProgram.program);
    gl.uniform4fv(this.lineProgram.uniforms.u_view, view);
    buffer.upload();
    buffer.draw();
  }
}
