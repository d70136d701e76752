// Small helpers over WebGL2: programs, and buffers of instances that grow.

/** Compiles a program; throws the compiler's error text. */
export function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `#version 300 es\nprecision highp float;\n${source}`);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getShaderInfoLog(shader));
    }
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
    throw new Error(gl.getProgramInfoLog(program));
  }
  const uniforms = {};
  const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) {
    const {name} = gl.getActiveUniform(program, i);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return {program, uniforms};
}

/**
 * Instances with one layout: `sizes` are the floats of each attribute, in the order of locations.
 */
export class InstanceBuffer {
  constructor(gl, sizes) {
    this.gl = gl;
    this.stride = sizes.reduce((sum, size) => sum + size, 0);
    this.data = new Float32Array(this.stride * 64);
    this.count = 0;
    this.buffer = gl.createBuffer();
    this.capacity = 0; // floats that the GPU buffer can take
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    let offset = 0;
    sizes.forEach((size, location) => {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, this.stride * 4, offset * 4);
      gl.vertexAttribDivisor(location, 1);
      offset += size;
    });
    gl.bindVertexArray(null);
  }

  clear() {
    this.count = 0;
  }

  /** Adds an instance; returns the index of its first float in `data`. */
  add() {
    const at = this.count * this.stride;
    if (at + this.stride > this.data.length) {
      const larger = new Float32Array(this.data.length * 2);
      larger.set(this.data);
      this.data = larger;
    }
    this.count++;
    return at;
  }

  upload() {
    const {gl} = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    const used = this.count * this.stride;
    if (used > this.capacity) {
      this.capacity = this.data.length;
      gl.bufferData(gl.ARRAY_BUFFER, this.data, gl.DYNAMIC_DRAW);
    } else if (used > 0) {
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.data, 0, used);
    }
  }

  /** Draws a quad for each instance. */
  draw() {
    if (this.count === 0) return;
    const {gl} = this;
    gl.bindVertexArray(this.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}
