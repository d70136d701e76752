// See report_file.h.
#include "client/load/report_file.h"

#include <errno.h>
#include <string.h>

#include "client/load/report.h"

static cli_exit fail(const char *path)
{
    cli_error(CLI_CODE_FILE, "cannot write '%s': %s", path, strerror(errno));
    return CLI_USAGE;
}

FILE *report_file_open(const char *path)
{
    FILE *file = fopen(path, "we");
    if (file == NULL) {
        (void)fail(path);
    }
    return file;
}

cli_exit report_file_close(FILE *file, const char *path)
{
    errno = 0;
    bool whole = fflush(file) == 0 && ferror(file) == 0;
    int why = errno != 0 ? errno : EIO;
    bool closed = fclose(file) == 0;
    errno = whole ? errno : why;
    return whole && closed ? CLI_OK : fail(path);
}

cli_exit report_may_write(const cli *c, const char *option, const char *path)
{
    FILE *file = fopen(path, "ae");
    if (file == NULL) {
        return cli_usage(c, "--%s: cannot write '%s': %s", option, path, strerror(errno));
    }
    (void)fclose(file);
    return CLI_OK;
}
