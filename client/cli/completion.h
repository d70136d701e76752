// Shell completion: the scripts for the shells, and the candidates that these request.
//
// The scripts are short: on each press of the Tab key they run `carom complete -- WORDS`, which
// finds the candidates for the last word in the commands' own tables or, for names and ids, by
// calls to the server. Main thread only.
#ifndef CAROM_CLIENT_CLI_COMPLETION_H
#define CAROM_CLIENT_CLI_COMPLETION_H

#include "client/tool/cli.h"

// The texts of completion/carom.bash, _carom and carom.fish, embedded by the build.
extern const char completion_bash[];
extern const char completion_zsh[];
extern const char completion_fish[];

enum { COMPLETION_WORDS_MAX = 256, COMPLETION_WORD_BYTES_MAX = 1024 };

// Prints the candidates for the last of the words (those after the program's name), a line each,
// with  a tab and a description if there is one; ":files" where the shell should offer files.
// `split`: the words are split as bash does, where "=" and ":" are words of their own.
void completion_print(const cli *c, const char *const *words, size_t count, bool split);

#endif
