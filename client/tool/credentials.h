// The token that this command line sends, from where it is kept.
//
// In this order: --token, --token-file, CAROM_TOKEN, CAROM_TOKEN_FILE. A word of the command line
// can be read by everyone on the machine, so main takes --token out of it at once
// (credentials_hide); files and the environment are better places. Main thread only.
#ifndef CAROM_CLIENT_TOOL_CREDENTIALS_H
#define CAROM_CLIENT_TOOL_CREDENTIALS_H

#include "client/tool/cli.h"

// Overwrites what --token gives in argv, having kept a copy that credentials_token finds. To be
// called first of all.
void credentials_hide(int argc, char **argv);

// For a program that is started instead of this one: puts the token of --token into CAROM_TOKEN,
// since the command line has it no more. False when there was none.
bool credentials_hand_on(const cli *c);

// *token is the caller's to end with credentials_wipe; NULL where there is none. CLI_USAGE when a
// file cannot be read.
cli_exit credentials_token(const cli *c, char **token);

// The token in a file: its first line.
cli_exit credentials_read_file(const char *path, char **token);

// Overwrites and frees. NULL is allowed.
void credentials_wipe(char *token);

#endif
