// The terminal for watch: keys without Enter, a second screen, its size, and everything restored at
// the end.
//
// One terminal per process. After terminal_open, every way to end the program restores it:
// terminal_close, exit(), SIGINT, SIGTERM, SIGHUP, SIGQUIT (these only set a flag that
// terminal_interrupted returns), and the signals of a crash (from the handler itself, before the
// process dies). SIGTSTP restores the screen while stopped. Main thread only.
#ifndef CAROM_CLIENT_TOOL_TERMINAL_H
#define CAROM_CLIENT_TOOL_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
    KEY_NONE,
    KEY_TAB = 9,
    KEY_ESCAPE = 27, // other keys are their own ASCII codes
    KEY_UP = 256,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_BACKTAB,
    KEY_WHEEL_UP,
    KEY_WHEEL_DOWN,
    KEY_CLICK = 1 << 24, // the lower bits contain the cell: key_column and key_row
    KEY_CELL_MAX = 4095
};

// Whether a key is a click; and its cell, from 0 on, at most KEY_CELL_MAX.
bool key_is_click(int pressed);
int key_column(int pressed);
int key_row(int pressed);

// Whether standard input and output are a terminal that can be drawn on.
bool terminal_usable(void);

// Switches to the second screen and to keys without Enter. False, with errno, if the terminal
// refuses.
bool terminal_open(void);
void terminal_close(void); // does nothing when not open

// Columns and rows; 80 x 24 if the size is unknown.
void terminal_size(int *columns, int *rows);

// Prints lines of at most `columns` characters: where a line goes on, its last one is "…", or ">"
// if not `utf8`. Escape sequences take no column, and none is cut. Without it a terminal that does
// not wrap shows the line's last character there, as if it belonged to the word before.
void terminal_print_cut(const char *text, int columns, bool utf8, FILE *out);

// Two descriptors to poll: standard input, readable when there is a key; and one that is readable
// after a change of size or a signal to end.
int terminal_fd(void);
int terminal_wake(void);
// Empties the wake descriptor; returns whether the size may have changed.
bool terminal_resized(void);
// The signal that asked the program to end, or 0.
int terminal_interrupted(void);
// Catches the signals that ask to end (also without an open terminal), so that unfinished work can
// be ended properly.
bool terminal_catch_signals(void);

// Reads the next key; KEY_NONE when there is none now. Sets `*ended` to true at the end of input.
int terminal_key(bool *ended);

// Parses the first key of `size` bytes and stores its length in *used; KEY_NONE for keys without a
// name.
int key_parse(const char *bytes, size_t size, size_t *used);

// Whether the locale uses UTF-8 (LC_ALL, LC_CTYPE, LANG, in setlocale's order).
bool terminal_utf8(void);

#endif
