// The manual pages carom(1) and carom-load(1), from the commands' own tables: the same texts as
// --help. Main thread only.
#ifndef CAROM_CLIENT_CLI_MAN_H
#define CAROM_CLIENT_CLI_MAN_H

#include <stdio.h>

// Writes a page as roff with the man macros. The build installs both. 'carom help --man'.
void man_print(FILE *out);
// 'carom help bench --man'.
void man_print_load(FILE *out);

#endif
