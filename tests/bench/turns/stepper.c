// Both ends of a stepping process: the parent, which starts it and requests steps, and the child,
// which owns the world. Main thread of each.
#include "tests/bench/turns/stepper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/physics/physics.h"
#include "server/world/tick/thread_pool.h"
#include "tests/bench/clock.h"
#include "tests/bench/processor.h"
#include "tests/golden/scenes.h"

// ---- the parent, which asks for steps

_Noreturn static void become(const char *program, const char *scene, int threads)
{
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    execl(program, program, "--serve", scene, "--threads", number, (char *)NULL);
    perror(program);
    _exit(127);
}

stepper stepper_start(const char *program, const char *scene, int threads, int cpu)
{
    int told[2];
    int answered[2];
    if (pipe2(told, O_CLOEXEC) != 0 || pipe2(answered, O_CLOEXEC) != 0) {
        perror("carom-bench-turns: pipe");
        exit(1);
    }
    signal(SIGPIPE, SIG_IGN);
    pid_t process = fork();
    if (process == 0) {
        dup2(told[0], STDIN_FILENO);
        dup2(answered[1], STDOUT_FILENO);
        if (threads == 1 && cpu >= 0) {
            processor_pin(cpu);
        }
        become(program, scene, threads);
    }
    close(told[0]);
    close(answered[1]);
    return (stepper){process, told[1], answered[0]};
}

bool stepper_step(const stepper *s, step_times *out)
{
    const char go = 's';
    return s->process > 0 && write(s->to, &go, 1) == 1 &&
           read(s->from, out, sizeof *out) == (ssize_t)sizeof *out;
}

void stepper_end(stepper *s)
{
    close(s->to);
    close(s->from);
    if (s->process > 0) {
        waitpid(s->process, NULL, 0);
    }
}

// ---- the child, which steps

static double now_ms(void)
{
    return 1e3 * clock_seconds(CLOCK_WALL);
}

static step_times timed_step(const scene_kind *kind, physics_world *world)
{
    const vec2d origin = {0.0, 0.0};
    step_times t;
    double before = now_ms();
    scene_step(kind, world, kind->full_scale, origin);
    t.ms[STEP_WHOLE] = now_ms() - before;
    world_profile p = world_last_profile(world);
    t.ms[STEP_PAIRS] = p.find_pairs;
    t.ms[STEP_NARROW] = p.impacts + p.narrow_phase;
    t.ms[STEP_SOLVE] = p.solve;
    t.ms[STEP_FINALIZE] = p.finalize;
    t.ms[STEP_REST] = p.events + p.continuous + p.sleep;
    return t;
}

int stepper_serve(const char *scene, int threads)
{
    const scene_kind *kind = scene_find(scene);
    if (kind == NULL) {
        fprintf(stderr, "carom-bench-turns: no such scene: %s\n", scene);
        return 2;
    }
    error err = {0};
    thread_pool *helpers = NULL;
    physics_world *world = scene_create(kind, kind->full_scale, (vec2d){0.0, 0.0});
    world_set_clock(world, now_ms);
    if (world_set_sleep(world, kind->sleep, &err) != STATUS_OK ||
        (threads > 1 && thread_pool_create(threads, &helpers, &err) != STATUS_OK)) {
        fprintf(stderr, "carom-bench-turns: %s\n", err.text);
        return 1;
    }
    if (helpers != NULL) {
        world_set_runner(world, thread_pool_runner(helpers));
    }
    for (char go; read(STDIN_FILENO, &go, 1) == 1;) {
        step_times t = timed_step(kind, world);
        if (write(STDOUT_FILENO, &t, sizeof t) != (ssize_t)sizeof t) {
            break;
        }
    }
    world_free(world);
    thread_pool_destroy(helpers);
    return 0;
}
