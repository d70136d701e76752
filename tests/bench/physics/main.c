// carom-bench-physics: carom against the engines that C and C++ programs use today.
//
// For each scene: first every engine runs it once for its outcome and the times of phases, then
// there are rounds, in each of which every engine runs it once. The order rotates from round to
// round, so that no engine always follows the same one. An interrupt ends the program with the
// results so far.
#include "tests/bench/physics/report.h"
#include "tests/bench/physics/worker.h"
#include "tests/bench/statistics.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The scene that is imaged, unless only images are requested: 5050 bodies.
static const char IMAGE_SCENE[] = "pyramid";

static double samples[ENGINES_MAX][SAMPLES_MAX];
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

// An interrupt from the terminal also ends the runs, which belong to its process group: they have
// not failed.
static bool has_failed(bool done)
{
    return !done && !interrupted;
}

static measure_request request_of(const bench_options *o, int e, measure_kind kind)
{
    return (measure_request){
        .kind = kind,
        .clock = o->clock,
        .fraction = o->fraction,
        .steps = o->steps,
        .budget_s = o->budget_s,
        .threads =
            o->threads < o->engines[e]->threads_max ? o->threads : o->engines[e]->threads_max,
        .cpu = o->cpu,
    };
}

static bool run_request(bench_report *report, int s, int e, measure_request request,
                        measure_result *result)
{
    const bench_options *o = report->options;
    if (interrupted) {
        return false;
    }
    snprintf(request.engine, sizeof request.engine, "%s", o->engines[e]->name);
    snprintf(request.scene, sizeof request.scene, "%s", o->scenes[s]);
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%-12s%-10s\033[K", o->scenes[s], o->engines[e]->name);
    }
    bool ok = worker_call(&request, result, samples[e]);
    report->figures[s][e].bodies = ok ? result->bodies : report->figures[s][e].bodies;
    return ok;
}

static bool run(bench_report *report, int s, int e, measure_kind kind, measure_result *result)
{
    return run_request(report, s, e, request_of(report->options, e, kind), result);
}

// The ratio of the first engine's times in a round to those of another engine, over the steps that
// both reached. Engines run in turn within a round, so both had similar conditions.
static double ratio_of(int e, uint32_t steps)
{
    static double first[SAMPLES_MAX];
    static double other[SAMPLES_MAX];
    memcpy(first, samples[0], sizeof first);
    memcpy(other, samples[e], sizeof other);
    return median(first, steps) / median(other, steps);
}

static void add_round(scene_figures *f, int e, const measure_result *result, double ratio)
{
    uint32_t count = result->sample_count;
    f->ratios[f->rounds] = ratio;
    f->median[f->rounds] = median(samples[e], count);
    f->p99[f->rounds] = quantile(samples[e], count, 0.99);
    f->rounds++;
    f->steps = result->steps;
    f->stopped = f->stopped || result->steps < result->steps_wanted;
}

static void run_round(bench_report *report, int s, int round)
{
    int count = report->options->engine_count;
    measure_result results[ENGINES_MAX];
    for (int i = 0; i < count; i++) {
        int e = (i + round) % count;
        scene_figures *f = &report->figures[s][e];
        f->failed = f->failed || has_failed(run(report, s, e, MEASURE_TIMES, &results[e]));
    }
    if (interrupted) {
        return;
    }
    // The first engine's ratios come last, since computing medians sorts the lists.
    for (int e = count - 1; e >= 0; e--) {
        scene_figures *f = &report->figures[s][e];
        if (f->failed) {
            continue;
        }
        uint32_t steps = results[e].steps;
        bool both = !report->figures[s][0].failed;
        if (both && results[0].steps < steps) {
            steps = results[0].steps;
        }
        add_round(f, e, &results[e], both ? ratio_of(e, steps) : (double)NAN);
    }
}

static void run_look(bench_report *report, int s)
{
    for (int e = 0; e < report->options->engine_count; e++) {
        scene_figures *f = &report->figures[s][e];
        f->looked = run(report, s, e, MEASURE_LOOK, &f->look);
        f->failed = f->failed || has_failed(f->looked);
    }
}

static void run_image(bench_report *report, int s)
{
    for (int e = 0; e < report->options->engine_count; e++) {
        scene_figures *f = &report->figures[s][e];
        f->imaged = run(report, s, e, MEASURE_IMAGE, &f->image);
        f->failed = f->failed || has_failed(f->imaged);
    }
}

// Median of the steps of a run with `threads` threads [ms of elapsed time], or NAN.
static double run_with_threads(bench_report *report, int s, int e, int threads)
{
    measure_request request = request_of(report->options, e, MEASURE_TIMES);
    request.threads = threads;
    request.clock = CLOCK_WALL;
    request.cpu = -1;
    measure_result result;
    bool ok = run_request(report, s, e, request, &result);
    report->figures[s][e].failed = report->figures[s][e].failed || has_failed(ok);
    return ok ? median(samples[e], result.sample_count) : (double)NAN;
}

static void run_threads(bench_report *report, int s)
{
    int many = report_many_threads(report->options);
    for (int e = 0; e < report->options->engine_count; e++) {
        thread_figures *f = &report->threads[s][e];
        if (report->options->engines[e]->threads_max < many) {
            continue;
        }
        double one = run_with_threads(report, s, e, 1);
        double with = run_with_threads(report, s, e, many);
        if (isfinite(one) && isfinite(with)) {
            f->one[f->rounds] = one;
            f->many[f->rounds] = with;
            f->ratios[f->rounds] = with / one;
            f->rounds++;
        }
    }
}

static bool is_imaged(const bench_options *o, int s)
{
    return (o->parts & PART_IMAGES) != 0 &&
           (o->parts == PART_IMAGES || strcmp(o->scenes[s], IMAGE_SCENE) == 0);
}

static void run_scene(bench_report *report, int s)
{
    const bench_options *o = report->options;
    if (o->parts & PART_LOOK) {
        run_look(report, s);
    }
    for (int round = 0; (o->parts & PART_TIMES) && round < o->rounds; round++) {
        run_round(report, s, round);
    }
    for (int round = 0; (o->parts & PART_THREADS) && round < o->rounds; round++) {
        run_threads(report, s);
    }
    if (is_imaged(o, s)) {
        run_image(report, s);
    }
}

// On a terminal clears the progress line; elsewhere prints a line for the scene.
static void tell_progress(const bench_report *report, int s)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K");
        return;
    }
    fprintf(stderr, "%s:", report->options->scenes[s]);
    for (int e = 0; e < report->options->engine_count; e++) {
        const scene_figures *f = &report->figures[s][e];
        if (f->rounds > 0) {
            fprintf(stderr, " %s %.4g ms", report->options->engines[e]->name,
                    f->median[f->rounds - 1]);
        }
    }
    fprintf(stderr, "\n");
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv)
{
    if (worker_is_child(argc, argv)) {
        return 0;
    }
    bench_options options = options_read(argc, argv);
    bench_report *report = calloc(1, sizeof *report);
    if (report == NULL) {
        return 1;
    }
    report->options = &options;
    catch_signals();
    int scenes = 0;
    while (scenes < options.scene_count && !interrupted) {
        run_scene(report, scenes);
        tell_progress(report, scenes++);
    }
    options.scene_count = scenes;
    report_summarize(report);
    report_print(report, stdout);
    bool ok = options.json == NULL || report_write_json(report, options.json);
    if (!ok) {
        fprintf(stderr, "carom-bench-physics: cannot write %s\n", options.json);
    }
    for (int s = 0; s < options.scene_count; s++) {
        ok = ok && !report->figures[s][0].failed;
    }
    free(report);
    return ok && !interrupted ? 0 : 1;
}
