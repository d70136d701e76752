// The figures for programs: one object; unknown figures are left out.
#include "tests/bench/physics/report.h"

#include <jansson.h>
#include <math.h>

static void set_number(json_t *object, const char *name, double value)
{
    if (isfinite(value) && value >= 0.0) {
        json_object_set_new(object, name, json_real(value));
    }
}

static json_t *list_of(const double *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_array_append_new(list, json_real(values[i]));
    }
    return list;
}

static void add_times(json_t *object, const scene_figures *f)
{
    if (f->rounds == 0) {
        return;
    }
    set_number(object, "median_ms", f->median_ms);
    set_number(object, "p99_ms", f->p99_ms);
    set_number(object, "first_to_this", f->ratio);
    json_object_set_new(object, "rounds_median_ms", list_of(f->median, f->rounds));
    json_object_set_new(object, "rounds_p99_ms", list_of(f->p99, f->rounds));
}

static void add_look(json_t *object, const measure_result *look)
{
    json_object_set_new(object, "bodies", json_integer(look->bodies));
    json_object_set_new(object, "steps", json_integer(look->steps));
    json_object_set_new(object, "contacts", json_integer(look->contacts));
    json_object_set_new(object, "awake", json_integer(look->awake));
    json_object_set_new(object, "out", json_integer(look->quality.out));
    set_number(object, "top_m", look->quality.top);
    set_number(object, "fastest_m_s", look->quality.fastest);
    set_number(object, "drift_m", look->quality.drift);
    set_number(object, "overlap_m", look->quality.overlap);
    set_number(object, "overlap_typical_m", look->quality.overlap_typical);
    set_number(object, "overlap_deepest_m", look->quality.overlap_deepest);
    set_number(object, "bytes_per_body", look->bytes_per_body);
    json_t *phases = json_object();
    set_number(phases, "step", look->step);
    for (int p = 0; p < PHASE_COUNT; p++) {
        set_number(phases, report_phase_name((engine_phase)p), look->phases[p]);
    }
    json_object_set_new(object, "mean_ms", phases);
}

static void add_image(json_t *object, const measure_result *image)
{
    json_t *figures = json_object();
    set_number(figures, "hash_ms", image->hash_ms);
    set_number(figures, "save_ms", image->save_ms);
    set_number(figures, "load_ms", image->restore_ms);
    set_number(figures, "bytes", image->image_bytes);
    json_object_set_new(object, "image", figures);
}

static json_t *figures_of(const scene_figures *f, const thread_figures *t)
{
    json_t *object = json_object();
    json_object_set_new(object, "failed", json_boolean(f->failed));
    json_object_set_new(object, "stopped", json_boolean(f->stopped));
    add_times(object, f);
    if (t->rounds > 0) {
        json_t *threads = json_object();
        json_object_set_new(threads, "one_ms", list_of(t->one, t->rounds));
        json_object_set_new(threads, "many_ms", list_of(t->many, t->rounds));
        json_object_set_new(object, "threads", threads);
    }
    if (f->looked) {
        add_look(object, &f->look);
    }
    if (f->imaged) {
        add_image(object, &f->image);
    }
    return object;
}

static json_t *engines_of(const bench_options *o)
{
    json_t *engines = json_object();
    for (int e = 0; e < o->engine_count; e++) {
        char text[128];
        o->engines[e]->describe(text, sizeof text);
        json_t *object = json_object();
        json_object_set_new(object, "version", json_string(text));
        if (o->engines[e]->note != NULL) {
            json_object_set_new(object, "note", json_string(o->engines[e]->note));
        }
        json_object_set_new(engines, o->engines[e]->name, object);
    }
    return engines;
}

bool report_write_json(const bench_report *report, const char *path)
{
    const bench_options *o = report->options;
    char processor[128];
    report_processor(processor, sizeof processor);
    json_t *root = json_object();
    json_object_set_new(root, "processor", json_string(processor));
    json_object_set_new(root, "clock", json_string(o->clock == CLOCK_CPU ? "cpu" : "wall"));
    json_object_set_new(root, "threads", json_integer(o->threads));
    json_object_set_new(root, "many_threads", json_integer(report_many_threads(o)));
    json_object_set_new(root, "fraction", json_real(o->fraction));
    json_object_set_new(root, "engines", engines_of(o));
    json_t *scenes = json_object();
    for (int s = 0; s < o->scene_count; s++) {
        json_t *scene = json_object();
        for (int e = 0; e < o->engine_count; e++) {
            json_object_set_new(scene, o->engines[e]->name,
                                figures_of(&report->figures[s][e], &report->threads[s][e]));
        }
        json_object_set_new(scenes, o->scenes[s], scene);
    }
    json_object_set_new(root, "scenes", scenes);
    bool written = json_dump_file(root, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) == 0;
    json_decref(root);
    return written;
}
