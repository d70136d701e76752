// Sine, cosine and arctangent with the same bits on every machine; the C library's differ between
// versions. They use only + - * / in a fixed order. Any thread.
//
// The coefficients are minimax (Remez exchange, computed in 50 digits for these intervals); their
// approximation error is below 1e-17, so the rounding of the evaluation dominates.
#include "common/geometry/math.h"

// Larger angles in double do not determine a place on the circle.
#define ANGLE_MAX 1099511627776.0 // 2^40

// pi/2 as a sum of parts of 13 bits: each part times a factor of up to 2^40 is exact in double, and
// so are the first differences (Cody and Waite 1980).
static const double HALF_PI_PARTS[] = {
    0x1.921p+0, 0x1.f6ap-13, 0x1.11p-26, 0x1.68cp-39, 0x1.1a6p-54, 0x1.3198a2e037073p-69,
};

// sin r for |r| <= pi/4.
static double sine_polynomial(double r)
{
    double z = r * r;
    double p = 1.5888542561706200151e-10;
    p = p * z - 2.5050599468754947077e-8;
    p = p * z + 2.7557312539645344523e-6;
    p = p * z - 1.9841269825918357028e-4;
    p = p * z + 8.3333333333164599174e-3;
    p = p * z - 1.6666666666666600268e-1;
    return r + r * z * p;
}

// cos r for |r| <= pi/4.
static double cosine_polynomial(double r)
{
    double z = r * r;
    double p = -1.1359641696613100673e-11;
    p = p * z + 2.0875723160117136731e-9;
    p = p * z - 2.7557314351539709913e-7;
    p = p * z + 2.4801587289479590096e-5;
    p = p * z - 1.3888888888874120048e-3;
    p = p * z + 4.1666666666666599455e-2;
    return 1.0 - 0.5 * z + z * z * p;
}

void sin_cos(double angle, double *sine, double *cosine)
{
    if (!(angle <= ANGLE_MAX && angle >= -ANGLE_MAX)) {
        *sine = 0.0;
        *cosine = 1.0;
        return;
    }
    double turns = angle * (2.0 / PI_D);
    int64_t quadrant = (int64_t)(turns < 0.0 ? turns - 0.5 : turns + 0.5);
    double k = (double)quadrant;
    double r = angle;
    for (int i = 0; i < 6; i++) {
        r -= k * HALF_PI_PARTS[i];
    }
    double s = sine_polynomial(r);
    double c = cosine_polynomial(r);
    switch ((uint64_t)quadrant & 3u) {
    case 0:
        *sine = s;
        *cosine = c;
        break;
    case 1:
        *sine = c;
        *cosine = -s;
        break;
    case 2:
        *sine = -s;
        *cosine = -c;
        break;
    default:
        *sine = -c;
        *cosine = s;
        break;
    }
}

// atan t for |t| <= tan(pi/8).
static double arc_tangent_polynomial(double t)
{
    double z = t * t;
    double p = 0.020652398742481012025;
    p = p * z - 0.043052971591637802174;
    p = p * z + 0.056721935477171647157;
    p = p * z - 0.066368365724449177473;
    p = p * z + 0.076895190875016221684;
    p = p * z - 0.090907384476930588305;
    p = p * z + 0.11111104487072043781;
    p = p * z - 0.14285714133147479005;
    p = p * z + 0.19999999998176276735;
    p = p * z - 0.3333333333332515524;
    return t + t * z * p;
}

double arc_tangent(double y, double x)
{
    double ax = x < 0.0 ? -x : x;
    double ay = y < 0.0 ? -y : y;
    double largest = ax > ay ? ax : ay;
    if (!(largest > 0.0)) {
        return 0.0;
    }
    double smallest = ax > ay ? ay : ax;
    double t = smallest / largest; // lies in [0, 1]
    double angle;
    if (t > 0.41421356237309503) { // tan(pi/8): turn by pi/4 first
        angle = 0.25 * PI_D + arc_tangent_polynomial((t - 1.0) / (t + 1.0));
    } else {
        angle = arc_tangent_polynomial(t);
    }
    if (ay > ax) {
        angle = 0.5 * PI_D - angle;
    }
    if (x < 0.0) {
        angle = PI_D - angle;
    }
    return y < 0.0 ? -angle : angle;
}

rot rot_from_angle(double angle)
{
    double sine;
    double cosine;
    sin_cos(angle, &sine, &cosine);
    return (rot){(float)cosine, (float)sine};
}

double rot_angle(rot q)
{
    return arc_tangent((double)q.s, (double)q.c);
}
