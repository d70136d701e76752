// The shaders. Shapes are signed distances: each instance is a square around the shape, and each pixel computes its
// distance from the outline. That gives smooth edges at every size, an outline of even width and a bevel at the same
// cost (I. Quilez, "2D distance functions").
//
// The shapes of one body are drawn as one (UNION): at each pixel the least signed distance counts, which is that of
// their union. The depth buffer selects it: bodies are stacked in the order of their slots, and within a body's range
// of depth the distance decides. Such bodies are opaque; their halos (u_glow > 0) are drawn before, separately.
//
// Coordinates reach the shaders in metres relative to the camera's centre, so that single precision is enough anywhere
// in a world of 1000 km.

// Two texels per body: x, y, cos, sin; and the colour with its opacity, plus 2 if a union is chosen.
const BODY = `
uniform sampler2D u_bodies;
uniform vec4 u_view;   // clip units a metre in x and y, pixels a metre, device pixel ratio
const int BODIES_A_ROW = 512;
void body_of(int index, out vec4 pose, out vec4 colour) {
  ivec2 at = ivec2((index % BODIES_A_ROW) * 2, index / BODIES_A_ROW);
  pose = texelFetch(u_bodies, at, 0);
  colour = texelFetch(u_bodies, at + ivec2(1, 0), 0);
}
vec2 corner() { return vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0; }
`;

// `meta`: the body's index, points of the polygon, rounding radius, flags (1: sensor; 2, 4, 8 …: the edge that ends
// at this corner lies within another shape of the body).
export const SHAPE_VERTEX = `
layout(location=0) in vec4 a_meta;
layout(location=1) in vec4 a_0;
layout(location=2) in vec4 a_1;
layout(location=3) in vec4 a_2;
layout(location=4) in vec4 a_3;
${BODY}
uniform float u_glow;   // how far the halo reaches, pixels
out vec2 v_at;
flat out vec4 v_meta, v_colour, v_0, v_1, v_2, v_3;
flat out vec2 v_turn;
void main() {
  vec4 pose;
  body_of(int(a_meta.x), pose, v_colour);
  v_meta = a_meta;
  v_0 = a_0; v_1 = a_1; v_2 = a_2; v_3 = a_3;
  v_turn = pose.zw;
  float pixel = 1.0 / u_view.z;
  // Nothing becomes smaller than a dot.
  float least = 0.8 * u_view.w * pixel;
  float margin = (1.5 + u_glow) * u_view.w * pixel;
  vec2 c = corner(), p;
#if KIND == 0      // circle: centre, radius
  v_meta.z = max(a_meta.z, least);
  p = a_0.xy + c * (v_meta.z + margin);
#elif KIND == 1    // capsule: ends, radius
  v_meta.z = max(a_meta.z, least);
  vec2 along = a_0.zw - a_0.xy;
  float size = length(along);
  vec2 axis = size > 0.0 ? along / size : vec2(1, 0);
  float r = v_meta.z + margin;
  p = (a_0.xy + a_0.zw) * 0.5 + axis * c.x * (size * 0.5 + r) + vec2(-axis.y, axis.x) * c.y * r;
#elif KIND == 2    // box: centre, half sizes; direction of its width
  v_0.zw = max(a_0.zw, vec2(least));
  vec2 r = (v_0.zw + a_meta.z + margin) * c;
  p = a_0.xy + a_1.xy * r.x + vec2(-a_1.y, a_1.x) * r.y;
#else              // polygon: up to eight points
  vec2 low = a_0.xy, high = a_0.xy;
  low = min(low, a_0.zw); high = max(high, a_0.zw);
  low = min(low, min(a_1.xy, a_1.zw)); high = max(high, max(a_1.xy, a_1.zw));
  low = min(low, min(a_2.xy, a_2.zw)); high = max(high, max(a_2.xy, a_2.zw));
  low = min(low, min(a_3.xy, a_3.zw)); high = max(high, max(a_3.xy, a_3.zw));
  v_meta.z = a_meta.z;
  p = (low + high) * 0.5 + c * ((high - low) * 0.5 + max(a_meta.z, least) + margin);
#endif
  v_at = p;
  vec2 place = pose.xy + vec2(pose.z * p.x - pose.w * p.y, pose.w * p.x + pose.z * p.y);
  gl_Position = vec4(place * u_view.xy, 0, 1);
}`;

export const SHAPE_FRAGMENT = `
in vec2 v_at;
flat in vec4 v_meta, v_colour, v_0, v_1, v_2, v_3;
flat in vec2 v_turn;
uniform vec4 u_view;
uniform vec4 u_look;   // outline's lightness, bevel, fill's opacity, hatching
uniform float u_glow;
#ifdef UNION
uniform float u_slots;  // number of bodies
uniform vec3 u_ground;  // colour that shines through a fill
uniform vec3 u_select;  // outline colour of the chosen body
const float DEEP = 64.0; // depth in pixels beyond which depths are not told apart
#endif
out vec4 colour;

// Distance to the visible edges [m], and whether a hidden one is nearer.
float seen = 0.0;
bool at_seam = false;

float distance_to() {
#if KIND == 0
  return length(v_at - v_0.xy) - v_meta.z;
#elif KIND == 1
  vec2 p = v_at - v_0.xy, b = v_0.zw - v_0.xy;
  return length(p - b * clamp(dot(p, b) / max(dot(b, b), 1e-12), 0.0, 1.0)) - v_meta.z;
#elif KIND == 2
  vec2 p = v_at - v_0.xy;
  p = vec2(dot(p, v_1.xy), dot(p, vec2(-v_1.y, v_1.x)));
  vec2 q = abs(p) - v_0.zw;
  return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - v_meta.z;
#else
  vec2 points[8] = vec2[8](v_0.xy, v_0.zw, v_1.xy, v_1.zw, v_2.xy, v_2.zw, v_3.xy, v_3.zw);
  int count = int(v_meta.y);
  vec2 before = points[count - 1];
  vec2 from = v_at - points[0];
  float nearest = dot(from, from), side = 1.0, outer = 1e30;
  int seams = int(v_meta.w) >> 1;
  for (int i = 0; i < 8; i++) {
    if (i >= count) break;
    vec2 point = points[i];
    vec2 edge = before - point, w = v_at - point;
    vec2 off = w - edge * clamp(dot(w, edge) / max(dot(edge, edge), 1e-12), 0.0, 1.0);
    nearest = min(nearest, dot(off, off));
    if (((seams >> i) & 1) == 0) outer = min(outer, dot(off, off));
    bvec3 crossing = bvec3(v_at.y >= point.y, v_at.y < before.y, edge.x * w.y > edge.y * w.x);
    if (all(crossing) || all(not(crossing))) side = -side;
    before = point;
  }
  seen = sqrt(outer);
  at_seam = seams != 0 && nearest < outer;
  return side * sqrt(nearest) - v_meta.z;
#endif
}

void main() {
  bool chosen = v_colour.a > 1.5;
  float body_alpha = chosen ? v_colour.a - 2.0 : v_colour.a;
  float d = distance_to() * u_view.z;      // pixels, negative inside
  float dpr = u_view.w;
  float cover = clamp(0.5 - d + (at_seam ? 0.5 : 0.0), 0.0, 1.0); // the pieces at a seam overlap by a pixel
  vec2 slope = vec2(dFdx(d), dFdy(d));
  float steep = length(slope);
  vec2 normal = steep > 0.0 ? slope / steep : vec2(0, 1);
  vec3 base = v_colour.rgb;
  bool sensor = mod(v_meta.w, 2.0) > 0.5;

  float light = dot(normal, vec2(-0.45, 0.89));
  float rim = exp(min(d, 0.0) / (5.0 * dpr));
#ifdef UNION
  light = 0.0; // a bevel would show where one shape ends within another
#endif
  vec3 fill = base * (1.0 + u_look.y * rim * light);
  float alpha = u_look.z;
#if KIND == 0
  // A spoke shows how a circle turns.
  vec2 p = v_at - v_0.xy;
  float spoke = max(abs(p.y), max(-p.x, p.x - v_meta.z * 0.78)) * u_view.z - 0.75 * dpr;
  if (v_meta.z * u_view.z > 6.0 * dpr) fill = mix(fill, fill * u_look.x, 0.75 * clamp(0.5 - spoke, 0.0, 1.0));
#endif
  if (sensor) {
    float stripe = abs(fract((gl_FragCoord.x + gl_FragCoord.y) / (9.0 * dpr)) - 0.5);
    alpha = mix(0.08, 0.24, smoothstep(0.2, 0.3, stripe));
  }
  float width = (chosen ? 2.5 : 1.25) * dpr;
  float edge = clamp((at_seam ? -seen * u_view.z : d) + width + 0.5, 0.0, 1.0);
  vec3 outline = clamp(base * u_look.x, 0.0, 1.0);
#ifdef UNION
  if (chosen) outline = u_select;
#endif
  vec3 shade = mix(fill, outline, edge);
  float opacity = mix(alpha, 1.0, edge) * cover * body_alpha;
  // The glow lies around the shape and adds to the ground.
  float halo = u_glow > 0.0 ? 0.30 * body_alpha * exp(-max(d, 0.0) / (u_glow * 0.38 * dpr)) *
                              (1.0 - cover) * clamp((u_glow * dpr - d) / (2.0 * dpr), 0.0, 1.0) : 0.0;
#ifdef UNION
  shade = mix(mix(u_ground, fill, alpha), outline, edge);
  opacity = u_glow > 0.0 ? 0.0 : cover * body_alpha;
#endif
  if (opacity + halo < 0.004) discard;
#ifdef UNION
  float outside = clamp(d / (2.0 * DEEP * dpr) + 0.5, 0.0, 1.0);
  gl_FragDepth = (u_slots - 1.0 - v_meta.x + outside) / u_slots;
#endif
  colour = vec4(shade * opacity + base * halo, opacity);
}`;

// Lines and dots: both ends in metres from the camera, width and dash in pixels.
export const LINE_VERTEX = `
layout(location=0) in vec4 a_ends;
layout(location=1) in vec4 a_colour;
layout(location=2) in vec2 a_style;   // width, dash (0: none)
uniform vec4 u_view;
out vec2 v_at;
flat out vec4 v_colour;
flat out vec3 v_size;
vec2 corner() { return vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0; }
void main() {
  vec2 a = a_ends.xy * u_view.z, b = a_ends.zw * u_view.z;
  float size = length(b - a);
  vec2 axis = size > 0.0 ? (b - a) / size : vec2(1, 0);
  float r = a_style.x * 0.5 * u_view.w;
  vec2 c = corner();
  vec2 at = vec2(c.x * (size * 0.5 + r + 1.0), c.y * (r + 1.0));
  v_at = at;
  v_size = vec3(size * 0.5, r, a_style.y * u_view.w);
  v_colour = a_colour;
  vec2 pixel = (a + b) * 0.5 + axis * at.x + vec2(-axis.y, axis.x) * at.y;
  gl_Position = vec4(pixel / u_view.z * u_view.xy, 0, 1);
}`;

export const LINE_FRAGMENT = `
in vec2 v_at;
flat in vec4 v_colour;
flat in vec3 v_size;
out vec4 colour;
void main() {
  vec2 p = vec2(max(abs(v_at.x) - v_size.x, 0.0), v_at.y);
  float alpha = clamp(0.5 - (length(p) - v_size.y), 0.0, 1.0) * v_colour.a;
  if (v_size.z > 0.0) alpha *= step(fract((v_at.x + v_size.x) / (2.0 * v_size.z)), 0.5);
  if (v_size.z < 0.0) {   // a ring of this thickness
    alpha = clamp(0.5 - (abs(length(v_at) - v_size.y - v_size.z * 0.5) + v_size.z * 0.5), 0.0, 1.0) * v_colour.a;
  }
  colour = vec4(v_colour.rgb * alpha, alpha);
}`;

// The ground: a soft light in the middle, computed at the corners of a coarse mesh, because it covers every pixel. A
// dither smaller than one colour step prevents bands (M. Roberts, "The Unreasonable Effectiveness of Quasirandom
// Sequences").
export const GROUND_COLUMNS = 16;
export const GROUND_ROWS = 12;
export const GROUND_VERTEX = `
uniform vec3 u_middle, u_corner;
out vec3 v_colour;
void main() {
  int cell = gl_VertexID / 6, at = gl_VertexID % 6;
  ivec2 place = ivec2(cell % ${GROUND_COLUMNS}, cell / ${GROUND_COLUMNS}) +
                ivec2(at == 1 || at == 2 || at == 4 ? 1 : 0, at == 2 || at == 4 || at == 5 ? 1 : 0);
  vec2 clip = vec2(place) / vec2(${GROUND_COLUMNS}, ${GROUND_ROWS}) * 2.0 - 1.0;
  v_colour = mix(u_middle, u_corner, smoothstep(0.1, 1.5, length(clip * vec2(0.8, 1.0) - vec2(0.0, 0.15))));
  gl_Position = vec4(clip, 0, 1);
}`;

export const GROUND_FRAGMENT = `
in vec3 v_colour;
out vec4 colour;
void main() {
  colour = vec4(v_colour + (fract(dot(gl_FragCoord.xy, vec2(0.7548777, 0.5698403))) - 0.5) / 255.0, 1);
}`;
