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

enum {
    KEY_NONE,
    KEY_TAB = 9,
    KEY_ESCAPE = 27, // others are their own ASCII codes
    KEY_UP = 256,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_BACKTAB,
    KEY_WHEEL_UP,
    KEY_WHEEL_DOWN,
    KEY_CLICK = 1 << 24, // the cell is in its lower bits: key_column and key_row
    KEY_CELL_MAX = 4095
};

// A click's cell, from 0 on, at most KEY_CELL_MAX. Other keys are no clicks.
bool key_is_click(int pressed);
int key_column(int pressed);
int key_row(int pressed);

// Whether standard input and output are a terminal that can be drawn on.
bool terminal_usable(void);

// Switches to the second screen and to keys without Enter. False, with errno, when that is refused.
bool terminal_open(void);
void terminal_close(void); // does nothing when not open

// Columns and rows; 80 x 24 where it cannot be known.
void terminal_size(int *columns, int *rows);

// Readable when there is a key, a change of size, or a signal to end.
int terminal_fd(void);   // descriptor of standard input
int terminal_wake(void); // readable on signals
// Empties the wake descriptor; returns whether the size may have changed.
bool terminal_resized(void);
// The signal that asked the program to end, or 0.
int terminal_interrupted(void);
// Catches the signals that ask to end (also without an open terminal), so that unfinished work can
// be ended properly.
bool terminal_catch_signals(void);

// The next key; KEY_NONE when there is none now. `*ended` is set to true when input is over.
int terminal_key(bool *ended);

// Parses the first key of `size` bytes and stores its length in *used; KEY_NONE for other keys.
int key_parse(const char *bytes, size_t size, size_t *used);

// Whether the locale uses UTF-8 (LC_ALL, LC_CTYPE, LANG, in setlocale's order).
bool terminal_utf8(void);

#endif
