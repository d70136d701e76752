// The table of options, for the code that reads the sources of settings (config_load.c).
//
// Main thread.
#ifndef CAROM_SERVER_CONFIG_CONFIG_OPTIONS_H
#define CAROM_SERVER_CONFIG_CONFIG_OPTIONS_H

#include "server/config/config.h"

enum { CONFIG_PORT_DEFAULT = 22766, CONFIG_HTTP_PORT_DEFAULT = 22767 };

// Checks a value and stores it. The errors do not name the option: the reader knows its source.
typedef status (*config_apply)(config *c, const char *value, error *err);

typedef struct config_option {
    const char *name;     // the name without "--"
    const char *variable; // NULL: no variable and no setting in a file
    const char *value;    // placeholder in --help; NULL: a switch
    bool list;            // may be repeated; items in a variable are separated by commas
    config_apply apply;
    const char *help;
} config_option;

// The options in the order of --help; an index is also that of config.places.
extern const config_option CONFIG_OPTIONS[];
extern const int CONFIG_OPTION_COUNT; // at most CONFIG_OPTIONS_MAX

// The position of the option, or -1.
int config_option_find(const char *name);

#endif
