// The manual page carom(1), from the commands' own tables: the same texts as --help. Main thread
// only.
#ifndef CAROM_CLIENT_CLI_MAN_H
#define CAROM_CLIENT_CLI_MAN_H

#include <stdio.h>

// Writes the page as roff with the man macros. The build installs it; 'carom help --man' prints it.
void man_print(FILE *out);

#endif
