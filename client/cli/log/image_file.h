// Images of worlds in files: the unchanged bytes of world.image. Main thread only.
#ifndef CAROM_CLIENT_CLI_LOG_IMAGE_FILE_H
#define CAROM_CLIENT_CLI_LOG_IMAGE_FILE_H

#include <stddef.h>

#include "client/tool/cli.h"

// Writes a new file, or with the option --force replaces an existing one. The file appears under
// its name only when it is complete. Errors are reported here: CLI_USAGE.
cli_exit image_file_write(const cli *c, const char *path, const void *bytes, size_t size);

#endif
