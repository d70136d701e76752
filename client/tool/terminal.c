// See terminal.h. Only write, tcsetattr, signal and raise are used inside handlers: all safe there.
#include "client/tool/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { KEYS_MAX = 64 };

// Sequences that enter and leave the second screen, without cursor and line wrap, with mouse clicks
// reported in decimal (1000 and 1006, which terminals without a mouse ignore).
static const char enter_screen[] = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1000h\x1b[?1006h\x1b[2J";
static const char leave_screen[] = "\x1b[0m\x1b[?1006l\x1b[?1000l\x1b[?7h\x1b[?25h\x1b[?1049l";

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static struct termios saved_mode;
static struct termios raw_mode;
static volatile sig_atomic_t is_open;
static volatile sig_atomic_t ended_by;
static int wake_pipe[2] = {-1, -1};
static bool signals_caught;
static char keys[KEYS_MAX];
static size_t key_bytes;

static void write_all(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = write(STDOUT_FILENO, bytes, size);
        if (sent <= 0) {
            return;
        }
        bytes += sent;
        size -= (size_t)sent;
    }
}

static void give_back(void)
{
    write_all(leave_screen, sizeof leave_screen - 1);
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &saved_mode);
}

static void take(void)
{
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw_mode);
    write_all(enter_screen, sizeof enter_screen - 1);
}

static void wake(char what)
{
    int before = errno;
    ssize_t ignored = write(wake_pipe[1], &what, 1);
    (void)ignored;
    errno = before;
}

static void on_end(int number)
{
    ended_by = number;
    wake('e');
}

static void on_resize(int number)
{
    (void)number;
    wake('r');
}

static void on_crash(int number)
{
    if (is_open) {
        is_open = 0;
        give_back();
    }
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void set_handler(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static void on_stop(int number)
{
    int before = errno;
    if (is_open) {
        give_back();
    }
    set_handler(number, SIG_DFL);
    sigset_t mask;
    (void)sigemptyset(&mask);
    (void)sigaddset(&mask, number);
    (void)sigprocmask(SIG_UNBLOCK, &mask, NULL);
    (void)raise(number); // stops the process here until SIGCONT
    set_handler(number, on_stop);
    if (is_open) {
        take();
        wake('r');
    }
    errno = before;
}

bool terminal_usable(void)
{
    const char *name = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name != NULL &&
           strcmp(name, "dumb") != 0;
}

bool terminal_catch_signals(void)
{
    if (signals_caught) {
        return true;
    }
    if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++) {
        set_handler(ending_signals[i], on_end);
    }
    signals_caught = true;
    return true;
}

bool terminal_open(void)
{
    if (is_open) {
        return true;
    }
    if (tcgetattr(STDIN_FILENO, &saved_mode) != 0 || !terminal_catch_signals()) {
        return false;
    }
    raw_mode = saved_mode;
    raw_mode.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw_mode.c_iflag &= (tcflag_t) ~(IXON | ICRNL);
    raw_mode.c_cc[VMIN] = 0;
    raw_mode.c_cc[VTIME] = 0;
    for (size_t i = 0; i < sizeof crash_signals / sizeof crash_signals[0]; i++) {
        set_handler(crash_signals[i], on_crash);
    }
    set_handler(SIGWINCH, on_resize);
    set_handler(SIGTSTP, on_stop);
    static bool registered;
    if (!registered) {
        registered = true;
        (void)atexit(terminal_close);
    }
    is_open = 1;
    take();
    return true;
}

void terminal_close(void)
{
    if (is_open) {
        is_open = 0;
        give_back();
    }
}

void terminal_size(int *columns, int *rows)
{
    struct winsize size;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *columns = known ? size.ws_col : 80;
    *rows = known ? size.ws_row : 24;
}

// Bytes of the escape sequence or character at `text`, which is not its end.
static size_t unit_bytes(const char *text)
{
    size_t size = 1;
    if (text[0] == '\x1b' && text[1] == '[') {
        size = 2 + strcspn(text + 2, "@ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        return text[size] != '\0' ? size + 1 : size;
    }
    while (((unsigned char)text[size] & 0xc0) == 0x80) {
        size++;
    }
    return size;
}

// The characters of a line that may have escape sequences.
static int line_columns(const char *text)
{
    int columns = 0;
    while (*text != '\0' && *text != '\n') {
        columns += *text != '\x1b';
        text += unit_bytes(text);
    }
    return columns;
}

void terminal_print_cut(const char *text, int columns, bool utf8, FILE *out)
{
    while (*text != '\0') {
        const bool fits = line_columns(text) <= columns;
        for (int column = 0; *text != '\0' && *text != '\n'; text += unit_bytes(text)) {
            column += *text != '\x1b';
            if (*text == '\x1b' || fits || column < columns) {
                (void)fwrite(text, 1, unit_bytes(text), out);
            } else if (column == columns) {
                (void)fputs(utf8 ? "\u2026" : ">", out);
            }
        }
        if (*text == '\n') {
            (void)putc(*text++, out);
        }
    }
}

int terminal_fd(void)
{
    return STDIN_FILENO;
}

int terminal_wake(void)
{
    return wake_pipe[0];
}

bool terminal_resized(void)
{
    bool resized = false;
    char what[16];
    ssize_t size = 0;
    while ((size = read(wake_pipe[0], what, sizeof what)) > 0) {
        resized = resized || memchr(what, 'r', (size_t)size) != NULL;
    }
    return resized;
}

int terminal_interrupted(void)
{
    return ended_by;
}

bool key_is_click(int pressed)
{
    return pressed >= KEY_CLICK;
}

int key_column(int pressed)
{
    return pressed & KEY_CELL_MAX;
}

int key_row(int pressed)
{
    return (pressed >> 12) & KEY_CELL_MAX;
}

// Reads a number of at most four digits and the byte `stop` behind it; -1 if there is none.
static int read_count(const char **at, const char *end, char stop)
{
    int value = 0;
    int digits = 0;
    for (; *at < end && **at >= '0' && **at <= '9' && digits < 5; (*at)++, digits++) {
        value = value * 10 + (**at - '0');
    }
    if (digits == 0 || digits > 4 || *at >= end || **at != stop) {
        return -1;
    }
    (*at)++;
    return value;
}

// Parses "BUTTON;COLUMN;ROWM" between `at` and `end` (its M): a press of the first button, or the
// wheel.
static int parse_mouse(const char *at, const char *end)
{
    int button = read_count(&at, end, ';');
    int column = read_count(&at, end, ';');
    int row = read_count(&at, end + 1, 'M');
    if (button < 0 || column < 1 || row < 1 || column > KEY_CELL_MAX || row > KEY_CELL_MAX) {
        return KEY_NONE;
    }
    if (button == 64 || button == 65) {
        return button == 64 ? KEY_WHEEL_UP : KEY_WHEEL_DOWN;
    }
    return button == 0 ? KEY_CLICK | (row - 1) << 12 | (column - 1) : KEY_NONE;
}

int key_parse(const char *bytes, size_t size, size_t *used)
{
    *used = size == 0 ? 0 : 1;
    if (size == 0 || bytes[0] != KEY_ESCAPE) {
        return size == 0 || (unsigned char)bytes[0] >= 0x80 ? KEY_NONE : bytes[0];
    }
    if (size == 1 || (bytes[1] != '[' && bytes[1] != 'O')) {
        return KEY_ESCAPE;
    }
    size_t end = 2; // a sequence ends with its first byte from '@' on
    while (end < size && (bytes[end] < '@' || bytes[end] > '~')) {
        end++;
    }
    *used = end < size ? end + 1 : size;
    if (end < size && bytes[1] == '[' && bytes[2] == '<') {
        return bytes[end] == 'M' ? parse_mouse(bytes + 3, bytes + end) : KEY_NONE;
    }
    switch (end < size ? bytes[end] : '\0') {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    case 'Z':
        return KEY_BACKTAB;
    default:
        return KEY_NONE;
    }
}

int terminal_key(bool *ended)
{
    *ended = false;
    if (key_bytes == 0) {
        ssize_t size = read(STDIN_FILENO, keys, sizeof keys);
        if (size <= 0) {
            // A terminal with VMIN 0 returns 0 for "no key now"; only a hang-up ends the input.
            *ended = size < 0 && errno != EAGAIN && errno != EINTR;
            return KEY_NONE;
        }
        key_bytes = (size_t)size;
    }
    int found = KEY_NONE;
    while (found == KEY_NONE && key_bytes > 0) {
        size_t used = 0;
        found = key_parse(keys, key_bytes, &used);
        key_bytes -= used;
        memmove(keys, keys + used, key_bytes);
    }
    return found;
}

bool terminal_utf8(void)
{
    (void)setlocale(LC_CTYPE, "");
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}
