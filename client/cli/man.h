// The manual pages carom(1) and carom-load(1), from the commands' own tables: the same texts as
// --help. Main thread only.
#ifndef CAROM_CLIENT_CLI_MAN_H
#define CAROM_CLIENT_CLI_MAN_H

#include <stdio.h>

// Writes the page of carom as roff with the man macros; 'carom help --man' prints it. The build
// installs both pages.
void man_print(FILE *out);
// Writes the page of carom-load; 'carom help bench --man' prints it.
void man_print_load(FILE *out);

#endif
