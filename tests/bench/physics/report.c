// Writes measurements as tables and files; see report.h. Main thread.
#include "tests/bench/physics/report.h"

#include "tests/bench/statistics.h"
#include "tests/bench/table.h"

#include <math.h>
#include <string.h>

const char *report_phase_name(engine_phase phase)
{
    static const char *const NAMES[PHASE_COUNT] = {
        [PHASE_PAIRS] = "pairs",           [PHASE_NARROW] = "narrow",
        [PHASE_SOLVE] = "solve",           [PHASE_FINALIZE] = "finalize",
        [PHASE_CONTINUOUS] = "continuous", [PHASE_ISLANDS] = "islands",
        [PHASE_EVENTS] = "events",
    };
    return NAMES[phase];
}

void report_processor(char *text, size_t size)
{
    snprintf(text, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    fclose(file);
}

static double median_of(const double *values, int count)
{
    double sorted[ROUNDS_MAX];
    memcpy(sorted, values, sizeof sorted);
    return median(sorted, (size_t)count);
}

void report_summarize(bench_report *report)
{
    for (int s = 0; s < report->options->scene_count; s++) {
        for (int e = 0; e < report->options->engine_count; e++) {
            scene_figures *f = &report->figures[s][e];
            f->median_ms = median_of(f->median, f->rounds);
            f->p99_ms = median_of(f->p99, f->rounds);
            f->ratio = median_of(f->ratios, f->rounds);
        }
    }
}

static void print_head(const bench_options *o, FILE *out)
{
    char text[128];
    report_processor(text, sizeof text);
    fprintf(out, "Processor: %s", text);
    if (o->cpu >= 0) {
        fprintf(out, ", pinned to %d", o->cpu);
    }
    fprintf(out, ". Threads: %d. Clock: %s. %d round%s in turn.\n", o->threads,
            o->clock == CLOCK_CPU ? "time of the thread" : "time gone by", o->rounds,
            o->rounds == 1 ? "" : "s");
    for (int i = 0; i < o->engine_count; i++) {
        const engine *e = o->engines[i];
        e->describe(text, sizeof text);
        fprintf(out, "- %s: %s", e->name, text);
        if (e->note != NULL) {
            fprintf(out, " (%s)", e->note);
        }
        if (o->threads > e->threads_max) {
            fprintf(out, "; %d thread%s at most", e->threads_max, e->threads_max == 1 ? "" : "s");
        }
        fprintf(out, "\n");
    }
}

// The geometric mean of the ratios of all scenes.
static double mean_ratio(const bench_report *report, int e)
{
    double sum = 0.0;
    int count = 0;
    for (int s = 0; s < report->options->scene_count; s++) {
        double ratio = report->figures[s][e].ratio;
        if (isfinite(ratio) && ratio > 0.0) {
            sum += log(ratio);
            count++;
        }
    }
    return count == 0 ? (double)NAN : exp(sum / count);
}

static void print_means(const bench_report *report, table *t)
{
    table_text(t, "geometric mean");
    table_skip(t);
    for (int e = 0; e < report->options->engine_count; e++) {
        table_skip(t);
        table_skip(t);
        if (e > 0) {
            table_ratio(t, mean_ratio(report, e));
        }
    }
}

static void print_times(const bench_report *report, FILE *out)
{
    const bench_options *o = report->options;
    const char *heads[TABLE_COLUMNS_MAX] = {"<scene", "bodies"};
    char names[ENGINES_MAX][3][32];
    int columns = 2;
    for (int e = 0; e < o->engine_count; e++) {
        snprintf(names[e][0], sizeof names[e][0], "%s ms", o->engines[e]->name);
        snprintf(names[e][1], sizeof names[e][1], "p99");
        snprintf(names[e][2], sizeof names[e][2], "%s/%s", o->engines[0]->name,
                 o->engines[e]->name);
        for (int i = 0; i < (e == 0 ? 2 : 3) && columns < TABLE_COLUMNS_MAX - 1; i++) {
            heads[columns++] = names[e][i];
        }
    }
    table *t = table_create(heads);
    for (int s = 0; s < o->scene_count; s++) {
        table_text(t, o->scenes[s]);
        table_number(t, report->figures[s][0].bodies, 1);
        for (int e = 0; e < o->engine_count; e++) {
            const scene_figures *f = &report->figures[s][e];
            table_number(t, f->median_ms, 3);
            table_number(t, f->p99_ms, 3);
            if (e > 0) {
                table_ratio(t, f->ratio);
            }
        }
    }
    print_means(report, t);
    fprintf(out,
            "\nTime of a step: median and 99th percentile of the steps of a run, medians of the "
            "rounds; ratio of the medians\n\n");
    table_print(t, out);
    table_free(t);
}

static void print_quality(const bench_report *report, FILE *out)
{
    static const char *const HEADS[] = {
        "<scene",  "<engine",    "steps",      "contacts",   "awake", "top m",      "fastest m/s",
        "drift m", "overlap mm", "typical mm", "deepest mm", "out",   "bytes/body", NULL};
    const bench_options *o = report->options;
    table *t = table_create(HEADS);
    for (int s = 0; s < o->scene_count; s++) {
        for (int e = 0; e < o->engine_count; e++) {
            const scene_figures *f = &report->figures[s][e];
            if (!f->looked) {
                continue;
            }
            const quality *q = &f->look.quality;
            table_text(t, o->scenes[s]);
            table_text(t, o->engines[e]->name);
            table_number(t, f->look.steps, 1);
            table_number(t, f->look.contacts, 1);
            table_number(t, f->look.awake, 1);
            table_number(t, q->top, 4);
            table_number(t, q->fastest, 3);
            table_number(t, q->drift, 3);
            table_number(t, q->overlap * 1e3, 3);
            table_number(t, q->overlap_typical * 1e3, 3);
            table_number(t, q->overlap_deepest * 1e3, 3);
            table_number(t, q->out, 1);
            table_number(t, f->look.bytes_per_body, 1);
        }
    }
    fprintf(
        out,
        "\nAfter the last step, the same measure for all: contacts that touch, bodies awake, "
        "the highest body,\nthe fastest, the farthest sideways from where it began, the deepest "
        "overlap, the median\nand the deepest of that over the run, bodies outside of the "
        "container, "
        "memory allocated to a body\n\n");
    table_print(t, out);
    table_free(t);
}

static void print_phases(const bench_report *report, FILE *out)
{
    const char *heads[PHASE_COUNT + 5] = {"<scene", "<engine", "step ms"};
    for (int p = 0; p < PHASE_COUNT; p++) {
        heads[3 + p] = report_phase_name((engine_phase)p);
    }
    heads[3 + PHASE_COUNT] = "other";
    const bench_options *o = report->options;
    table *t = table_create(heads);
    for (int s = 0; s < o->scene_count; s++) {
        for (int e = 0; e < o->engine_count; e++) {
            const scene_figures *f = &report->figures[s][e];
            if (!f->looked || o->engines[e]->phases == NULL) {
                continue;
            }
            table_text(t, o->scenes[s]);
            table_text(t, o->engines[e]->name);
            table_number(t, f->look.step, 3);
            double other = f->look.step;
            for (int p = 0; p < PHASE_COUNT; p++) {
                double ms = f->look.phases[p];
                table_number(t, ms, 3);
                other -= ms > 0.0 ? ms : 0.0;
            }
            table_number(t, fmax(other, 0.0), 3);
        }
    }
    fprintf(out, "\nWhere a step's time goes, as far as engines tell: means [ms]\n\n");
    table_print(t, out);
    table_free(t);
}

int report_many_threads(const bench_options *o)
{
    return o->threads > 1 ? o->threads : 2;
}

static void print_threads(const bench_report *report, FILE *out)
{
    const bench_options *o = report->options;
    const int many = report_many_threads(o);
    char names[ENGINES_MAX][3][32];
    const char *heads[TABLE_COLUMNS_MAX] = {"<scene"};
    int columns = 1;
    for (int e = 0; e < o->engine_count; e++) {
        if (o->engines[e]->threads_max < many || columns + 3 >= TABLE_COLUMNS_MAX) {
            continue;
        }
        snprintf(names[e][0], sizeof names[e][0], "%s 1", o->engines[e]->name);
        snprintf(names[e][1], sizeof names[e][1], "%s %d", o->engines[e]->name, many);
        snprintf(names[e][2], sizeof names[e][2], "%d / 1", many);
        for (int i = 0; i < 3; i++) {
            heads[columns++] = names[e][i];
        }
    }
    table *t = table_create(heads);
    for (int s = 0; s < o->scene_count; s++) {
        table_text(t, o->scenes[s]);
        for (int e = 0; e < o->engine_count; e++) {
            const thread_figures *f = &report->threads[s][e];
            if (o->engines[e]->threads_max >= many) {
                table_number(t, median_of(f->one, f->rounds), 3);
                table_number(t, median_of(f->many, f->rounds), 3);
                table_ratio(t, median_of(f->ratios, f->rounds));
            }
        }
    }
    fprintf(
        out,
        "\nOne thread and %d: medians [ms] of the time gone by, not pinned; engines that use no "
        "threads are left out\n\n",
        many);
    table_print(t, out);
    table_free(t);
}

static void print_images(const bench_report *report, FILE *out)
{
    static const char *const HEADS[] = {"<scene",  "<engine", "bodies",     "hash ms",
                                        "save ms", "load ms", "bytes/body", NULL};
    const bench_options *o = report->options;
    table *t = table_create(HEADS);
    for (int s = 0; s < o->scene_count; s++) {
        for (int e = 0; e < o->engine_count; e++) {
            const scene_figures *f = &report->figures[s][e];
            if (!f->imaged || f->image.hash_ms < 0.0) {
                continue;
            }
            table_text(t, o->scenes[s]);
            table_text(t, o->engines[e]->name);
            table_number(t, f->image.bodies, 1);
            table_number(t, f->image.hash_ms, 3);
            table_number(t, f->image.save_ms, 3);
            table_number(t, f->image.restore_ms, 3);
            table_number(t, f->image.image_bytes / f->image.bodies, 1);
        }
    }
    fprintf(out,
            "\nHash of the whole state, its image, and a world of the image (carom: a new one, "
            "the old one freed;\nBox2D: the same one, in place); medians\n\n");
    table_print(t, out);
    table_free(t);
}

void report_print(const bench_report *report, FILE *out)
{
    print_head(report->options, out);
    if (report->options->parts & PART_TIMES) {
        print_times(report, out);
    }
    if (report->options->parts & PART_LOOK) {
        print_quality(report, out);
        print_phases(report, out);
    }
    if (report->options->parts & PART_THREADS) {
        print_threads(report, out);
    }
    if (report->options->parts & PART_IMAGES) {
        print_images(report, out);
    }
    for (int s = 0; s < report->options->scene_count; s++) {
        for (int e = 0; e < report->options->engine_count; e++) {
            if (report->figures[s][e].failed) {
                fprintf(out, "\n%s did not get through %s.\n", report->options->engines[e]->name,
                        report->options->scenes[s]);
            } else if (report->figures[s][e].stopped) {
                fprintf(
                    out,
                    "\n%s used its time up in %s after %u steps; its times, and the ratio, are of "
                    "those.\n",
                    report->options->engines[e]->name, report->options->scenes[s],
                    report->figures[s][e].steps);
            }
        }
    }
}
