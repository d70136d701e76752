// The report of a load as CSV: one table whose columns are the same in every row.
//
// Rows named "time" are parts of the run, a second each unless the run is very short or long; the
// last one, "all", is the whole run. Counts of the parts add up to those of the whole. Latencies
// are in milliseconds; cells without a measurement are empty. See report.h.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "client/load/report.h"
#include "client/load/report_file.h"

static const char *const counts[] = {"sent",    "answered",  "errors",  "lost",     "dropped",
                                     "resumed", "snapshots", "skipped", "bytes_in", "bytes_out"};
static const load_metric metrics[] = {LOAD_ACK, LOAD_ABOVE,  LOAD_SEEN,
                                      LOAD_AGE, LOAD_JITTER, LOAD_LAG};
static const char *const shares[] = {"p50", "p90", "p95", "p99", "p99.9", "max", "mean"};

enum {
    COUNTS = sizeof counts / sizeof counts[0],
    METRICS = sizeof metrics / sizeof metrics[0],
    SHARES = sizeof shares / sizeof shares[0]
};

static void write_head(FILE *out)
{
    (void)fprintf(out, "row,from_s,seconds,clients");
    for (int i = 0; i < COUNTS; i++) {
        (void)fprintf(out, ",%s", counts[i]);
    }
    for (int m = 0; m < METRICS; m++) {
        (void)fprintf(out, ",%s_count", load_metric_names[metrics[m]]);
        for (int i = 0; i < SHARES; i++) {
            (void)fprintf(out, ",%s_%s_ms", load_metric_names[metrics[m]], shares[i]);
        }
    }
    (void)fprintf(out, ",server_step_ms,server_rate_share,server_ticks,server_ticks_late\n");
}

// Writes "," and the number at `path` multiplied by `times`; only "," when it is missing.
static void write_number(FILE *out, const carom_value *value, double times)
{
    if (value == NULL) {
        (void)fputc(',', out);
    } else if (times == 1.0 && carom_value_type(value) == CAROM_UINT) {
        (void)fprintf(out, ",%" PRIu64, carom_as_uint(value, 0));
    } else {
        (void)fprintf(out, ",%.6g", carom_as_real(value, 0.0) * times);
    }
}

static void write_latencies(FILE *out, const carom_value *latencies)
{
    for (int m = 0; m < METRICS; m++) {
        const carom_value *one = carom_value_get(latencies, load_metric_names[metrics[m]]);
        write_number(out, carom_value_get(one, "count"), 1.0);
        for (int i = 0; i < SHARES; i++) {
            write_number(out, carom_value_get(one, shares[i]), 1e3);
        }
    }
}

static void write_slice(FILE *out, const carom_value *row)
{
    (void)fprintf(out, "time,%.6g,%.6g,%" PRIu64, carom_get_real(row, "from", 0.0),
                  carom_get_real(row, "seconds", 0.0), carom_get_uint(row, "clients", 0));
    for (int i = 0; i < COUNTS; i++) {
        write_number(out, carom_value_get(row, counts[i]), 1.0);
    }
    write_latencies(out, row);
    write_number(out, carom_value_get(row, "step"), 1e3);
    write_number(out, carom_value_get(row, "rate_share"), 1.0);
    write_number(out, carom_value_get(row, "ticks"), 1.0);
    write_number(out, carom_value_get(row, "ticks_late"), 1.0);
    (void)fputc('\n', out);
}

static void write_all(FILE *out, const carom_value *value)
{
    static const char *const names[COUNTS] = {
        "commands_sent", "commands",          NULL,       "lost",     "dropped", "resumed",
        "snapshots",     "snapshots_skipped", "bytes_in", "bytes_out"};
    (void)fprintf(out, "all,0,%.6g,%" PRIu64, carom_get_real(value, "seconds", 0.0),
                  carom_get_uint(value, "connections", 0));
    for (int i = 0; i < COUNTS; i++) {
        if (names[i] != NULL) {
            write_number(out, carom_value_get(value, names[i]), 1.0);
            continue;
        }
        uint64_t errors = 0;
        const carom_value *kinds = carom_value_get(value, "errors");
        for (size_t k = 0; k < carom_value_count(kinds); k++) {
            errors += carom_as_uint(carom_value_at(kinds, k), 0);
        }
        (void)fprintf(out, ",%" PRIu64, errors);
    }
    write_latencies(out, carom_value_get(value, "metrics"));
    const carom_value *server = carom_value_get(value, "server");
    write_number(out, carom_value_get(server, "step_mean"), 1e3);
    write_number(out, carom_value_get(server, "rate_share"), 1.0);
    write_number(out, carom_value_get(server, "ticks"), 1.0);
    write_number(out, carom_value_get(server, "ticks_late"), 1.0);
    (void)fputc('\n', out);
}

cli_exit report_write_csv(const char *path, const carom_value *value)
{
    FILE *out = report_file_open(path);
    if (out == NULL) {
        return CLI_USAGE;
    }
    const carom_value *slices = carom_value_get(carom_value_get(value, "time"), "slices");
    write_head(out);
    for (size_t i = 0; i < carom_value_count(slices); i++) {
        write_slice(out, carom_value_at(slices, i));
    }
    write_all(out, value);
    return report_file_close(out, path);
}
