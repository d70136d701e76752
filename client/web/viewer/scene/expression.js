// Arithmetic in scene files, with the bits of proto/scene/expression.c: the page unrolls a scene as server and command
// line do. Sine, cosine and arctangent are those of common/geometry/math.c, since Math.sin differs between browsers.
//
//   a ? b : c    a || b    a && b    == != < <= > >=    + -    * / %    - !    ( )
//   numbers, names, pi, and sin cos sqrt floor ceil round abs min max atan2 random

import {CaromError} from '../../src/errors.js';

const BYTES_MAX = 1024; // size of an expression
const DEPTH_MAX = 32; // parentheses within parentheses
const VARIABLES_MAX = 64;
const NAME_MAX = 64;
const ANGLE_MAX = 2 ** 40; // larger angles do not determine a place on the circle
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /[0-9.]+(?:[eE][+-]?[0-9]*)?[0-9.]*/y;

// pi/2 as a sum of parts of 13 bits (Cody and Waite 1980).
const HALF_PI_PARTS = [0x1921 / 2 ** 12, 0x1f6a / 2 ** 12 / 2 ** 13, 0x111 / 2 ** 8 / 2 ** 26, 0x168c / 2 ** 12 / 2 ** 39,
                       0x11a6 / 2 ** 12 / 2 ** 54, 0x13198a2e037073 / 2 ** 52 / 2 ** 69];
const SINE = [1.5888542561706200151e-10, -2.5050599468754947077e-8, 2.7557312539645344523e-6, -1.9841269825918357028e-4,
              8.3333333333164599174e-3, -1.6666666666666600268e-1];
const COSINE = [-1.1359641696613100673e-11, 2.0875723160117136731e-9, -2.7557314351539709913e-7, 2.4801587289479590096e-5,
                -1.3888888888874120048e-3, 4.1666666666666599455e-2];
const ARC_TANGENT = [0.020652398742481012025, -0.043052971591637802174, 0.056721935477171647157, -0.066368365724449177473,
                     0.076895190875016221684, -0.090907384476930588305, 0.11111104487072043781, -0.14285714133147479005,
                     0.19999999998176276735, -0.3333333333332515524];

const polynomial = (coefficients, z) => coefficients.reduce((p, c) => p * z + c);

/** [sine, cosine] */
export function sinCos(angle) {
  if (!(Math.abs(angle) <= ANGLE_MAX)) return [0, 1];
  const turns = angle * (2 / Math.PI);
  const quadrant = Math.trunc(turns < 0 ? turns - 0.5 : turns + 0.5);
  let r = angle;
  for (const part of HALF_PI_PARTS) r -= quadrant * part;
  const z = r * r;
  const s = r + r * z * polynomial(SINE, z);
  const c = 1 - 0.5 * z + z * z * polynomial(COSINE, z);
  return [[s, c], [c, -s], [-s, -c], [-c, s]][((quadrant % 4) + 4) % 4];
}

function small(t) {
  const z = t * t;
  return t + t * z * polynomial(ARC_TANGENT, z);
}

export function arcTangent(y, x) {
  const ax = x < 0 ? -x : x;
  const ay = y < 0 ? -y : y;
  const largest = ax > ay ? ax : ay;
  if (!(largest > 0)) return 0;
  const t = (ax > ay ? ay : ax) / largest;
  let angle = t > 0.41421356237309503 ? 0.25 * Math.PI + small((t - 1) / (t + 1)) : small(t); // tan(pi/8)
  if (ay > ax) angle = 0.5 * Math.PI - angle;
  if (x < 0) angle = Math.PI - angle;
  return y < 0 ? -angle : angle;
}

// Each function of the language: how many arguments, and how it is computed.
const FUNCTIONS = {
  sin: [1, (a) => sinCos(a)[0]], cos: [1, (a) => sinCos(a)[1]], floor: [1, Math.floor], ceil: [1, Math.ceil],
  round: [1, (a) => Math.floor(a + 0.5)], abs: [1, Math.abs], min: [2, (a, b) => (a < b ? a : b)], max: [2, (a, b) => (a > b ? a : b)],
  atan2: [2, arcTangent],
  sqrt: [1, (a, b, parser) => (a < 0 ? parser.fail('the square root of a negative number') : Math.sqrt(a))],
  random: [2, (a, b, parser) => a + (b - a) * parser.scope.random()],
};
// Of two operators with the same beginning, the longer comes first: [text, how tightly it binds].
const OPERATIONS = [['||', 1], ['&&', 2], ['==', 3], ['!=', 3], ['<=', 4], ['>=', 4], ['<', 4], ['>', 4], ['+', 5], ['-', 5],
                    ['*', 6], ['/', 6], ['%', 6]];

function compute(parser, op, a, b) {
  if ((op === '/' || op === '%') && b === 0) parser.fail('division by zero');
  const rest = a % b;
  const value = {'||': () => +(a !== 0 || b !== 0), '&&': () => +(a !== 0 && b !== 0), '==': () => +(a === b), '!=': () => +(a !== b),
                 '<=': () => +(a <= b), '>=': () => +(a >= b), '<': () => +(a < b), '>': () => +(a > b), '+': () => a + b, '-': () => a - b,
                 '*': () => a * b, '/': () => a / b, '%': () => (rest !== 0 && (rest < 0) !== (b < 0) ? rest + b : rest)}[op]();
  return Number.isFinite(value) ? value : parser.fail('the result is too large');
}

// A parser that computes as it reads, by precedence climbing.
class Parser {
  at = 0;
  depth = 0;
  live = true; // false in the side of a condition that was not chosen: read, not computed

  constructor(scope, text) {
    this.scope = scope;
    this.text = text;
  }

  fail(why) {
    throw new CaromError('invalid_argument', `column ${this.at + 1}: ${why}`);
  }

  accept(word) {
    while (' \t\n'.includes(this.text[this.at] ?? '-')) this.at++;
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  deeper(action) {
    if (this.depth === DEPTH_MAX) throw new CaromError('limit_exceeded', `column ${this.at + 1}: nested too deep; the limit is ${DEPTH_MAX}`);
    this.depth++;
    const value = action();
    this.depth--;
    return value;
  }

  condition() {
    return this.deeper(() => {
      const value = this.binary(1);
      return this.accept('?') ? this.branches(value !== 0) : value;
    });
  }

  branches(first) {
    const {live} = this;
    this.live = live && first;
    const one = this.condition();
    if (!this.accept(':')) this.fail('expected : and the value for the other case');
    this.live = live && !first;
    const other = this.condition();
    this.live = live;
    return first ? one : other;
  }

  binary(least) {
    let left = this.unary();
    for (;;) {
      const found = OPERATIONS.find(([word, binding]) => binding >= least && this.accept(word));
      if (!found) return left;
      const [op, binding] = found;
      const {live} = this;
      const decided = (op === '||' && left !== 0) || (op === '&&' && left === 0);
      this.live = live && !decided;
      const right = this.binary(binding + 1);
      this.live = live;
      if (live) left = compute(this, op, left, decided ? 0 : right);
    }
  }

  unary() {
    const minus = this.accept('-');
    if (!minus && !this.accept('!')) return this.primary();
    const value = this.deeper(() => this.unary());
    return minus ? -value : +(value === 0);
  }

  primary() {
    this.accept('');
    if (this.at === this.text.length) this.fail('the expression ends where a value should be');
    const number = this.match(NUMBER);
    if (number) return this.number(number);
    const name = this.match(NAME);
    if (name) return this.name(name);
    if (!this.accept('(')) this.fail('expected a number, a name or (');
    const value = this.condition();
    if (!this.accept(')')) this.fail('expected )');
    return value;
  }

  number(text) {
    const value = Number(text);
    if (!Number.isFinite(value) || text.length > 63 || /[A-Za-z_]/.test(this.text[this.at + text.length] ?? '')) this.fail('not a number');
    this.at += text.length;
    return value;
  }

  name(name) {
    if (Object.hasOwn(FUNCTIONS, name)) {
      this.at += name.length;
      return this.call(...FUNCTIONS[name]);
    }
    const value = name === 'pi' ? Math.PI : this.scope.value(name);
    if (value === undefined) this.fail(`'${name}' is not defined`);
    this.at += name.length;
    return value;
  }

  call(count, run) {
    if (!this.accept('(')) this.fail("expected ( after a function's name");
    const values = [];
    for (let i = 0; i < count; i++) {
      if (i > 0 && !this.accept(',')) this.fail('expected , and a second argument');
      values.push(this.condition());
    }
    if (!this.accept(')')) this.fail('expected )');
    return this.live ? run(values[0], values[1] ?? 0, this) : 0;
  }
}

/** The variables in sight, and the state of random(). */
export class Scope {
  #names = [];
  #values = [];
  #random = 0n;

  set seed(seed) {
    this.#random = BigInt(seed);
  }

  get count() {
    return this.#names.length;
  }

  set count(count) {
    this.#names.length = this.#values.length = count;
  }

  define(name, value) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > NAME_MAX || Object.hasOwn(FUNCTIONS, name) || name === 'pi') {
      throw new CaromError('invalid_argument', `'${name.slice(0, NAME_MAX)}' cannot be a variable's name`);
    }
    if (this.#names.length === VARIABLES_MAX) throw new CaromError('limit_exceeded', `too many variables; the limit is ${VARIABLES_MAX}`);
    this.#names.push(name);
    this.#values.push(value);
  }

  value(name) {
    return this.#values[this.#names.lastIndexOf(name)];
  }

  /** `i = 3, j = 0` of the variables from `first` on, for texts of errors. */
  list(first) {
    return this.#names.slice(first).map((name, i) => `${name} = ${Number(this.#values[first + i].toPrecision(6))}`).join(', ');
  }

  // Uniform in [0, 1) with 53 bits: Steele, Lea and Flood's SplitMix64 (2014).
  random() {
    const wrap = (value) => BigInt.asUintN(64, value);
    this.#random = wrap(this.#random + 0x9E3779B97F4A7C15n);
    let z = this.#random;
    z = wrap((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n);
    z = wrap((z ^ (z >> 27n)) * 0x94D049BB133111EBn);
    return Number((z ^ (z >> 31n)) >> 11n) * 2 ** -53;
  }

  /** The value of an expression, always finite; throws a CaromError with the column. */
  evaluate(text) {
    const size = new TextEncoder().encode(text).length;
    if (size > BYTES_MAX) throw new CaromError('limit_exceeded', `an expression of ${size} bytes; the limit is ${BYTES_MAX}`);
    const parser = new Parser(this, text);
    const value = parser.condition();
    parser.accept('');
    if (parser.at < text.length) parser.fail('expected an operator or the end');
    return Number.isFinite(value) ? value : parser.fail('the result is too large');
  }
}
