// The terminal as watch needs it: keys without Enter, a second screen, its size, and everything put
// back in the end.
//
// One terminal per process. After terminal_open, whatever ends the program puts it back:
// terminal_close, exit(), SIGINT, SIGTERM, SIGHUP, SIGQUIT (these only set a flag that
// terminal_interrupted tells), and the signals of a crash (from the handler itself, before it goes
// on to kill). SIGTSTP gives the screen back while stopped. Main thread only.
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
    KEY_CLICK = 1 << 24, // with the cell in its lower bits: key_column and key_row
    KEY_CELL_MAX = 4095
};

// Of a click: the cell from 0 on, at most KEY_CELL_MAX. Other keys are no clicks.
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
int terminal_fd(void);   // of standard input
int terminal_wake(void); // of signals
// Empties the wake descriptor; tells whether the size may have changed.
bool terminal_resized(void);
// The signal that asked the program to end, or 0.
int terminal_interrupted(void);
// Catches the signals that ask to end (also without an open terminal), so that unfinished work can
// be ended properly.
bool terminal_catch_signals(void);

// The next key, KEY_NONE when there is none now. `*ended` becomes true when input is over.
int terminal_key(bool *ended);

// Takes the first key out of `size` bytes and tells how many bytes it was; KEY_NONE for
// other keys.
int key_parse(const char *bytes, size_t size, size_t *used);

// Whether the locale writes UTF-8 (LC_ALL, LC_CTYPE, LANG, as setlocale takes them).
bool terminal_utf8(void);

#endif
