// Writes SVG. Logarithmic axes span whole powers of ten. Main thread.
#include "tests/bench/plot.h"

#include <math.h>
#include <stdio.h>

#include "common/base/assert.h"

enum { WIDTH = 720, HEIGHT = 440, LEFT = 80, RIGHT = 150, TOP = 40, BOTTOM = 55 };
enum { NAME_HEIGHT = 13 };

typedef struct range { // whole powers of ten
    int low, high;
} range;

typedef struct frame {
    range x, y;
    int places; // 0: x is logarithmic
} frame;

static range widen(range r, double value)
{
    int low = (int)floor(log10(value));
    int high = (int)ceil(log10(value));
    high += high == low; // all values equal a power of ten
    r.low = low < r.low ? low : r.low;
    r.high = high > r.high ? high : r.high;
    return r;
}

static frame frame_of(const plot *p)
{
    frame f = {{100, -100}, {100, -100}, p->places != NULL ? p->place_count : 0};
    for (int s = 0; s < p->count; s++) {
        for (int i = 0; i < p->series[s].count; i++) {
            f.x = widen(f.x, p->series[s].x[i]);
            f.y = widen(f.y, p->series[s].y[i]);
        }
    }
    return f;
}

static double place(range r, double value)
{
    return (log10(value) - r.low) / (r.high - r.low);
}

static double place_x(const frame *f, double value)
{
    double at = f->places > 0 ? (value - 0.5) / f->places : place(f->x, value);
    return LEFT + at * (WIDTH - LEFT - RIGHT);
}

static double place_y(const frame *f, double value)
{
    return HEIGHT - BOTTOM - place(f->y, value) * (HEIGHT - TOP - BOTTOM);
}

static void draw_mark(const frame *f, double value, const char *name, FILE *out)
{
    double x = place_x(f, value);
    fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, TOP, x,
            HEIGHT - BOTTOM);
    fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", x,
            HEIGHT - BOTTOM + 18, name);
}

static void draw_grid(const plot *p, const frame *f, FILE *out)
{
    for (int i = 0; i < f->places; i++) {
        draw_mark(f, i + 1.0, p->places[i], out);
    }
    for (int e = f->x.low; e <= f->x.high && f->places == 0; e++) {
        char name[32];
        snprintf(name, sizeof name, "%.0f", pow(10.0, e));
        draw_mark(f, pow(10.0, e), name, out);
    }
    for (int e = f->y.low; e <= f->y.high; e++) {
        double y = place_y(f, pow(10.0, e));
        fprintf(out, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT,
                y, WIDTH - RIGHT, y);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y + 4.0,
                pow(10.0, e));
    }
    fprintf(out, "<text x=\"%d\" y=\"24\" font-size=\"15\">%s</text>\n", LEFT, p->title);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, p->x_title);
    fprintf(out,
            "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, p->y_title);
}

// Places a name at the end of its line; a guide's name above the guide's middle, since another line
// may end beside it.
static double name_x(const plot_series *s, const frame *f)
{
    return s->dashed ? place_x(f, s->x[s->count / 2]) - 10.0 : place_x(f, s->x[s->count - 1]) + 8.0;
}

static double name_y(const plot_series *s, const frame *f)
{
    return s->dashed ? place_y(f, s->y[s->count / 2]) - 10.0 : place_y(f, s->y[s->count - 1]) + 4.0;
}

// Moves names of lines that end side by side apart, in the order of their ends, the highest first.
// `y` has the series' places.
static void part_names(const plot *p, const frame *f, double y[PLOT_SERIES_MAX])
{
    int order[PLOT_SERIES_MAX];
    int count = 0;
    for (int s = 0; s < p->count; s++) {
        if (p->series[s].count == 0) {
            continue;
        }
        y[s] = name_y(&p->series[s], f);
        int at = count++;
        for (; at > 0 && y[order[at - 1]] > y[s]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = s;
    }
    for (int i = 0; i < count; i++) {
        const plot_series *one = &p->series[order[i]];
        for (int k = 0; k < i && !one->dashed; k++) {
            const plot_series *above = &p->series[order[k]];
            double gap = y[order[i]] - y[order[k]];
            if (!above->dashed && fabs(name_x(above, f) - name_x(one, f)) < RIGHT &&
                gap < NAME_HEIGHT) {
                y[order[i]] = y[order[k]] + NAME_HEIGHT;
            }
        }
    }
}

static void draw_name(const plot_series *s, const frame *f, double y, FILE *out)
{
    if (s->count == 0) {
        return;
    }
    double x = name_x(s, f);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"%s style=\"fill:%s\">%s</text>\n", x, y,
            s->dashed ? " text-anchor=\"end\"" : "", s->color, s->name);
}

static void draw_line(const plot_series *s, const frame *f, FILE *out)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", s->color,
            s->dashed ? " stroke-dasharray=\"5 5\"" : "");
    for (int i = 0; i < s->count; i++) {
        fprintf(out, "%.1f,%.1f ", place_x(f, s->x[i]), place_y(f, s->y[i]));
    }
    fprintf(out, "\"/>\n");
}

static void draw_series(const plot_series *s, const frame *f, double name_at, FILE *out)
{
    if (f->places == 0) {
        draw_line(s, f, out);
    }
    for (int i = 0; i < s->count && !s->dashed; i++) {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", place_x(f, s->x[i]),
                place_y(f, s->y[i]), s->color);
    }
    draw_name(s, f, name_at, out);
}

bool plot_write_svg(const plot *p, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return false;
    }
    frame f = frame_of(p);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>text{fill:#555}.grid{stroke:#ccc;stroke-width:1}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT);
    draw_grid(p, &f, out);
    double names[PLOT_SERIES_MAX];
    ASSERT(p->count <= PLOT_SERIES_MAX);
    part_names(p, &f, names);
    for (int s = 0; s < p->count; s++) {
        draw_series(&p->series[s], &f, names[s], out);
    }
    fprintf(out, "</svg>\n");
    return fclose(out) == 0;
}
