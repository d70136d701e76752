// carom-bench-turns: this build of the engine against others, or one thread against several. Each
// runs in a process of its own; they step the same scene in turn, and each step is compared with
// the same step of the others. So a temporary slowdown of the machine affects all of them, and
// differences of a few hundredths are visible where whole runs vary by a tenth.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/processor.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/bench/turns/stepper.h"
#include "tests/golden/scenes.h"
#include "tests/support/command_line.h"

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

static const args_operand OPERANDS[] = {{"PROGRAM", ARGS_FILE, false, true, NULL}, {0}};

static const args_option OPTIONS[] = {
    {"scenes", 0, ARGS_TEXT, "LIST", "scenes, separated by commas", NULL},
    {"threads", 0, ARGS_TEXT, "LIST",
     "numbers of threads, 1 to 64: each program runs with each (1)", NULL},
    {"steps", 0, ARGS_TEXT, "N", "steps of each scene, 1 to 10000 (300)", NULL},
    {"serve", 0, ARGS_TEXT, "SCENE", NULL, NULL}, // used when the program starts itself
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-turns",
    "[PROGRAM…]",
    "Steps scenes in this build of the engine and in others, in turn, and prints the ratios of\n"
    "their times. PROGRAM is another build's carom-bench-turns.\n",
    {.operands = OPERANDS, .options = OPTIONS}};

// ---- measured times

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

// The median ratio of the steps' times of both programs; none for phases shorter than a
// microsecond.
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
                fprintf(stderr, "carom-bench-turns: steps no more: %s\n", r->subjects[i].program);
                exit(2);
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

// ---- options

static void read_scenes(request *r, command_line *line)
{
    const char *names[SCENES_MAX];
    r->scene_count = command_line_list(
        line, "scenes", "pyramid,heap,drum,free,rest,joints,washer,spinner,smash,compounds", names,
        SCENES_MAX);
    for (int i = 0; i < r->scene_count; i++) {
        const scene_kind *s = scene_find(names[i]);
        if (s == NULL) {
            command_line_refuse(line, "--scenes: no such scene: %s", names[i]);
        }
        r->scenes[i] = s->name;
    }
}

// Adds every program, and this one before them, with every number of threads.
static void read_subjects(request *r, command_line *line)
{
    double threads[SUBJECTS_MAX];
    const int kinds =
        command_line_numbers(line, "threads", "1", 1, THREADS_MAX, threads, SUBJECTS_MAX);
    for (int k = 0; k < kinds; k++) {
        const char *program = SELF;
        for (size_t i = 0; program != NULL; program = command_line_word(line, i++)) {
            if (r->subject_count == SUBJECTS_MAX) {
                command_line_refuse(line, "too many programs: %s", program);
            }
            r->subjects[r->subject_count++] = (subject){program, (int)threads[k]};
        }
    }
}

int main(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    if (command_line_has(&line, "serve")) {
        return stepper_serve(command_line_text(&line, "serve", NULL),
                             command_line_count(&line, "threads", 1, THREADS_MAX));
    }
    request r = {.steps = command_line_count(&line, "steps", STEPS, STEPS_MAX),
                 .cpu = processor_last()};
    read_scenes(&r, &line);
    read_subjects(&r, &line);
    measure(&r);
    return 0;
}
