// Draws a world on a WebGL2 canvas: a ground, every shape as an instance, lines under and over them.
//
// Shapes are uploaded when bodies come, go or change; each frame uploads two texels a body, where it
// is and what colour it has. Kinds are drawn one after the other, in two layers: what moves lies over
// what does not.

import {InstanceBuffer, makeProgram} from './gl.js';
import {GROUND_COLUMNS, GROUND_FRAGMENT, GROUND_ROWS, GROUND_VERTEX, LINE_FRAGMENT, LINE_VERTEX,
        SHAPE_FRAGMENT, SHAPE_VERTEX} from './shaders.js';

export const CIRCLE = 0;
export const CAPSULE = 1;
export const BOX = 2;
export const POLYGON = 3;
const KINDS = 4;
const LAYERS = 2;
const BODIES_A_ROW = 512; // as in the shader
const SHAPE_LAYOUT = [4, 4, 4, 4, 4];
const LINE_LAYOUT = [4, 4, 2];
export const DPR_MAX = 2; // more pixels cost more than they show

export class Canvas {
  constructor(element) {
    this.element = element;
    this.gl = element.getContext('webgl2', {antialias: false, alpha: false, depth: false, stencil: false,
                                            powerPreference: 'high-performance'});
    if (!this.gl) throw new Error('this browser has no WebGL2');
    this.width = 1;
    this.height = 1;
    this.dpr = 1;
    /** Halos, the light on the ground and all pixels of the screen; without, plainer and faster. */
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
    this.shapePrograms = [];
    for (let kind = 0; kind < KINDS; kind++) {
      const define = `#define KIND ${kind}\n`;
      this.shapePrograms.push(makeProgram(gl, define + SHAPE_VERTEX, define + SHAPE_FRAGMENT));
    }
    this.lineProgram = makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.groundProgram = makeProgram(gl, GROUND_VERTEX, GROUND_FRAGMENT);
    this.shapes = [];
    for (let i = 0; i < KINDS * LAYERS; i++) this.shapes.push(new InstanceBuffer(gl, SHAPE_LAYOUT));
    this.grid = new InstanceBuffer(gl, LINE_LAYOUT);
    this.below = new InstanceBuffer(gl, LINE_LAYOUT); // lines under moving bodies
    this.lines = new InstanceBuffer(gl, LINE_LAYOUT); // and over everything
    this.empty = gl.createVertexArray();
    this.bodies = new Float32Array(0);
    this.rows = 0;
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Follows the size of the element on the page. Returns whether it changed. */
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

  /** Room for the texels of `count` bodies, eight floats each. */
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

  /** The buffer of a kind in a layer: 0 for what stands, 1 for what moves. */
  layer(kind, layer) {
    return this.shapes[layer * KINDS + kind];
  }

  draw(camera, theme) {
    const {gl} = this;
    gl.viewport(0, 0, this.width, this.height);
    const scale = camera.scale * this.dpr; // device pixels a metre
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
    const {gl} = this;
    for (let kind = 0; kind < KINDS; kind++) {
      const buffer = this.layer(kind, layer);
      if (buffer.count === 0) continue;
      const {program, uniforms} = this.shapePrograms[kind];
      gl.useProgram(program);
      gl.uniform4fv(uniforms.u_view, view);
      gl.uniform4fv(uniforms.u_look, theme.look);
      // A halo pays only where bodies are few and large.
      const glow = this.fine && layer === 1 && view[2] > 14 * this.dpr && buffer.count < 4000 ? theme.glow : 0;
      gl.uniform1f(uniforms.u_glow, glow);
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
