// carom-bench-turns: this build of the engine against others, or one thread against several. Each
// runs in a process of its own; they step the same scene in turn, and each step is compared with
// the same step of the others. So a temporary slowdown of the machine affects all of them, and
// differences of a few hundredths are visible where whole runs vary by a tenth.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/processor.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/bench/turns/stepper.h"
#include "tests/golden/scenes.h"

enum {
    SUBJECTS_MAX = 8,
    SCENES_MAX = 32,
    STEPS_MAX = 10000,
    THREADS_MAX = 64,
    STEPS = 300,
    WARM_SHARE = 6 // one sixth of the steps come first and do not count
};

typedef struct subject {
    const char *program;
    int threads;
} subject;

typedef struct request {
    const char *scenes[SCENES_MAX];
    int scene_count;
    subject subjects[SUBJECTS_MAX];
    int subject_count;
    int steps;
    int cpu; // processor for runs of one thread
} request;

static const char SELF[] = "/proc/self/exe";

_Noreturn static void refuse(const char *what, const char *given)
{
    fprintf(stderr, "carom-bench-turns: %s: %s\n", what, given);
    exit(2);
}

static int read_number(const char *text, int most, const char *name)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < 1 || value > most) {
        fprintf(stderr, "carom-bench-turns: %s: 1 to %d, not %s\n", name, most, text);
        exit(2);
    }
    return (int)value;
}

// ---- what was measured

typedef struct samples {
    double ms[STEP_PARTS][STEPS_MAX];
    int count;
} samples;

static double median_ms(const samples *of, int part)
{
    static double sorted[STEPS_MAX];
    memcpy(sorted, of->ms[part], (size_t)of->count * sizeof *sorted);
    return median(sorted, (size_t)of->count);
}

// The median ratio of each step's time to the other's; none for phases shorter than a microsecond.
static double median_ratio(const samples *of, const samples *to, int part)
{
    static double ratios[STEPS_MAX];
    size_t count = 0;
    for (int i = 0; i < of->count; i++) {
        if (to->ms[part][i] > 1e-3) {
            ratios[count++] = of->ms[part][i] / to->ms[part][i];
        }
    }
    return count * 2 > (size_t)of->count ? median(ratios, count) : -1.0;
}

static void step_in_turn(const request *r, const char *scene, samples *found)
{
    stepper running[SUBJECTS_MAX];
    for (int i = 0; i < r->subject_count; i++) {
        const subject *s = &r->subjects[i];
        running[i] = stepper_start(s->program, scene, s->threads, r->cpu);
        found[i].count = 0;
    }
    const int warm = r->steps / WARM_SHARE;
    for (int step = 0; step < r->steps; step++) {
        for (int k = 0; k < r->subject_count; k++) {
            int i = step % 2 == 0 ? k : r->subject_count - 1 - k; // the order alternates
            step_times t;
            if (!stepper_step(&running[i], &t)) {
                refuse("steps no more", r->subjects[i].program);
            }
            for (int part = 0; step >= warm && part < STEP_PARTS; part++) {
                found[i].ms[part][step - warm] = t.ms[part];
            }
        }
    }
    for (int i = 0; i < r->subject_count; i++) {
        found[i].count = r->steps - warm;
        stepper_end(&running[i]);
    }
}

static void print_scene(const request *r, const char *scene, const samples *found, table *t)
{
    for (int i = 0; i < r->subject_count; i++) {
        char name[TABLE_CELL_BYTES];
        snprintf(name, sizeof name, "%c", 'A' + i);
        table_text(t, i == 0 ? scene : "");
        table_text(t, name);
        table_number(t, r->subjects[i].threads, 1);
        table_number(t, median_ms(&found[i], STEP_WHOLE), 3);
        for (int part = 0; part < STEP_PARTS; part++) {
            double ratio = median_ratio(&found[i], &found[0], part);
            if (i == 0 || ratio < 0.0) {
                table_skip(t);
            } else {
                char text[TABLE_CELL_BYTES];
                snprintf(text, sizeof text, "%.3f", ratio);
                table_text(t, text);
            }
        }
    }
}

static void measure(const request *r)
{
    static const char *const HEADS[] = {"<scene", "<build", "threads",  "step ms",  "step", "pairs",
                                        "narrow", "solve",  "finalize", "the rest", NULL};
    static samples found[SUBJECTS_MAX];
    printf("Builds whose steps were taken in turn; medians of %d steps, ratios to the first's.\n",
           r->steps - r->steps / WARM_SHARE);
    for (int i = 0; i < r->subject_count; i++) {
        const char *program = r->subjects[i].program;
        printf("- %c: %s\n", 'A' + i, strcmp(program, SELF) == 0 ? "this build" : program);
    }
    printf("\n");
    table *t = table_create(HEADS);
    for (int i = 0; i < r->scene_count; i++) {
        step_in_turn(r, r->scenes[i], found);
        print_scene(r, r->scenes[i], found, t);
    }
    table_print(t, stdout);
    table_free(t);
}

// ---- what is asked for

static void add_scenes(request *r, char *list)
{
    r->scene_count = 0;
    for (char *rest, *name = strtok_r(list, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        if (r->scene_count == SCENES_MAX) {
            refuse("--scenes: too many", name);
        }
        if (scene_find(name) == NULL) {
            refuse("--scenes: no such scene", name);
        }
        r->scenes[r->scene_count++] = name;
    }
    if (r->scene_count == 0) {
        refuse("--scenes", "none is named");
    }
}

// Adds every program with every number of threads.
static void add_subjects(request *r, const char *const *programs, int count, char *threads)
{
    for (char *rest, *text = strtok_r(threads, ",", &rest); text != NULL;
         text = strtok_r(NULL, ",", &rest)) {
        for (int i = 0; i < count; i++) {
            if (r->subject_count == SUBJECTS_MAX) {
                refuse("too many programs", programs[i]);
            }
            r->subjects[r->subject_count++] =
                (subject){programs[i], read_number(text, THREADS_MAX, "--threads")};
        }
    }
}

static void print_help(void)
{
    printf("Usage: carom-bench-turns [--scenes LIST] [--threads LIST] [--steps N] [PROGRAM...]\n\n"
           "Steps scenes in this build of the engine and in others, in turn, and prints the ratios "
           "of\ntheir times. PROGRAM is another build's carom-bench-turns. With --threads 1,2 each "
           "is run\non one thread and on two.\n");
}

int main(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"scenes", required_argument, NULL, 'c'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"steps", required_argument, NULL, 's'},
                                            // used when the program starts itself
                                            {"serve", required_argument, NULL, 'S'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static char scenes[] = "pyramid,heap,drum,free,rest,joints,washer,spinner,smash,compounds";
    static char one[] = "1";
    request r = {.steps = STEPS, .cpu = processor_last()};
    char *threads = one;
    const char *serve = NULL;
    add_scenes(&r, scenes);
    for (int c; (c = getopt_long(argc, argv, "", OPTIONS, NULL)) != -1;) {
        switch (c) {
        case 'c':
            add_scenes(&r, optarg);
            break;
        case 't':
            threads = optarg;
            break;
        case 's':
            r.steps = read_number(optarg, STEPS_MAX, "--steps");
            break;
        case 'S':
            serve = optarg;
            break;
        case 'h':
            print_help();
            return 0;
        default:
            return 2;
        }
    }
    if (serve != NULL) {
        return stepper_serve(serve, read_number(threads, THREADS_MAX, "--threads"));
    }
    const char *programs[SUBJECTS_MAX] = {SELF};
    if (argc - optind >= SUBJECTS_MAX) {
        refuse("too many programs", argv[optind]);
    }
    for (int i = optind; i < argc; i++) {
        programs[1 + i - optind] = argv[i];
    }
    add_subjects(&r, programs, 1 + argc - optind, threads);
    measure(&r);
    return 0;
}
