// Shows a recording as watch shows a world: at any speed, forward and backward. Main thread only.
#ifndef CAROM_CLIENT_CLI_LOG_WATCH_RECORDING_H
#define CAROM_CLIENT_CLI_LOG_WATCH_RECORDING_H

#include <stdint.h>

#include "client/tool/cli.h"
#include "client/cli/log/playback.h"

// Shows the recording from its first tick to `until`, at `speed` times its own pace.
cli_exit watch_recording(cli *c, const char *path, const playback_span *span, uint64_t until,
                         double speed);

#endif
