// Finds the line of a value in a JSON text, for error texts.
//
// Pure; any thread. The text was parsed before and is valid.
#ifndef CAROM_CLIENT_TOOL_JSON_LINE_H
#define CAROM_CLIENT_TOOL_JSON_LINE_H

// The line, from 1 on, of the value that the longest beginning of `path` leads to:
// "commands[1].do[0] (i = 2): …". The path ends at the first byte that cannot belong to it. 0 when
// not even its first step exists.
int json_line(const char *text, const char *path);

#endif
