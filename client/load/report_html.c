// The report of a load as one HTML file: the page of report.html, which the build embeds, with the
// report's tree and the histograms as JSON where it says @DATA@. It loads nothing else, so it opens
// without a network. See report.h.
#include <string.h>
#include <time.h>

#include "client/load/report.h"
#include "client/load/report_file.h"
#include "client/load/report_page.h"

enum { DRAWN_SHIFT = 2 }; // four bins of a histogram are one bar

#define MARK "@DATA@"

// [[largest value of a bar in ns, count] …] without the empty ones.
static carom_value *bars(const histogram *h)
{
    carom_value *out = carom_array();
    for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin += 1u << DRAWN_SHIFT) {
        uint64_t count = 0;
        for (unsigned i = bin; i < bin + (1u << DRAWN_SHIFT) && i < HISTOGRAM_BINS; i++) {
            count += h->counts[i];
        }
        if (count > 0) {
            uint64_t top = histogram_bin_top(bin + (1u << DRAWN_SHIFT) - 1);
            carom_value *one = carom_push(carom_array(), carom_uint(top));
            carom_push(out, carom_push(one, carom_uint(count)));
        }
    }
    return out;
}

static carom_value *page_data(const carom_value *value, const load_result *r)
{
    carom_value *histograms = carom_map();
    carom_value *explained = carom_map();
    char written[64] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (localtime_r(&now, &parts) != NULL) {
        (void)strftime(written, sizeof written, "%Y-%m-%d %H:%M", &parts);
    }
    for (int m = 0; m < LOAD_METRIC_COUNT; m++) {
        const char *name = load_metric_names[m];
        if (r->tally->metrics[m].total > 0) {
            carom_set(histograms, name, bars(&r->tally->metrics[m]));
        }
        carom_set(explained, name, carom_str(report_explain((load_metric)m)));
    }
    carom_value *out = carom_set(carom_map(), "report", carom_value_clone(value));
    carom_set(out, "written", carom_str(written));
    carom_set(out, "histograms", histograms);
    return carom_set(out, "explained", explained);
}

// Writes every < as its number, so that no text ends the script or begins a comment.
static void write_json(FILE *out, const char *json)
{
    for (const char *at = json; *at != '\0'; at++) {
        if (*at == '<') {
            (void)fputs("\\u003c", out);
        } else {
            (void)fputc(*at, out);
        }
    }
}

cli_exit report_write_html(const char *path, const carom_value *value, const load_result *r)
{
    carom_value *data = page_data(value, r);
    char *json = carom_json_print(data, false, NULL);
    carom_value_free(data);
    if (json == NULL) {
        return cli_out_of_memory();
    }
    const char *mark = strstr(report_page, MARK);
    FILE *out = report_file_open(path);
    cli_exit code = out != NULL ? CLI_OK : CLI_USAGE;
    if (out != NULL) {
        (void)fwrite(report_page, 1, (size_t)(mark - report_page), out);
        write_json(out, json);
        (void)fputs(mark + strlen(MARK), out);
        code = report_file_close(out, path);
    }
    carom_free_text(json);
    return code;
}
