// Finds the token that this command line sends.
//
// In this order: --token, --token-file, CAROM_TOKEN, CAROM_TOKEN_FILE. Everyone on the machine can
// read the command line, so main overwrites --token there at once (credentials_hide); files and the
// environment are better places. Main thread only.
#ifndef CAROM_CLIENT_TOOL_CREDENTIALS_H
#define CAROM_CLIENT_TOOL_CREDENTIALS_H

#include "client/tool/cli.h"

// Overwrites the value of --token in argv, after copying it for credentials_token. To be called
// before anything else.
void credentials_hide(int argc, char **argv);

// Before another program replaces this one: puts the token of --token into CAROM_TOKEN, since the
// command line no longer has it. False when there was none.
bool credentials_hand_on(const cli *c);

// The caller frees *token with credentials_wipe; NULL if there is none. CLI_USAGE when a file
// cannot be read.
cli_exit credentials_token(const cli *c, char **token);

// Reads the token in a file: its first line.
cli_exit credentials_read_file(const char *path, char **token);

// Overwrites the token and frees it. NULL is allowed.
void credentials_wipe(char *token);

#endif
