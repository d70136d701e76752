// Images of worlds in files: the bytes of world.image as they are. Main thread only.
#ifndef CAROM_CLIENT_CLI_LOG_IMAGE_FILE_H
#define CAROM_CLIENT_CLI_LOG_IMAGE_FILE_H

#include <stddef.h>

#include "client/tool/cli.h"

// Writes a new file; with the option --force also in place of one that is there. It appears under
// its name only when all of it is written. Errors have been told: CLI_USAGE.
cli_exit image_file_write(const cli *c, const char *path, const void *bytes, size_t size);

#endif
