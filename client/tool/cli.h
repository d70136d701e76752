// The base of every command of `carom`: its description, the connection, results, errors and exit
// codes.
//
// A command is data (cli_command) and a function. The help, the manual page, the shell completion
// and the checks of the command line are made from the data; the function gets a checked command
// line and returns the exit code.
//
// Results go to standard output, as a table for people or, with --json, as one JSON value on one
// line for each result. Errors and notes go to standard error; with --json an error is one line
// too:
// {"error": {"code", "text", "hints"}}. Main thread only.
#ifndef CAROM_CLIENT_TOOL_CLI_H
#define CAROM_CLIENT_TOOL_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/carom.h>
#include <carom/json.h>
#include <carom/scene.h>

#include "common/args/args.h"

typedef enum cli_exit {
    CLI_OK = 0,
    CLI_REFUSED = 1, // the server refused, or the work could not be done
    CLI_USAGE = 2,   // the command line, or a local file that it names, is wrong
    // Cannot connect, the peer is not caromd, the connection was lost, or no answer in time
    CLI_LOST = 3,
    CLI_FAILED = 4 // bench only: a --fail-if condition was met
} cli_exit;

enum { CLI_DONE_MAX = 128 };

typedef struct cli cli;

typedef struct cli_command {
    const char *name;
    const char *group;            // heading under which the help lists it
    const char *summary;          // description in one line
    const args_operand *operands; // NULL: none
    const args_option *options;   // NULL: only the global options
    const char *details;          // paragraphs, NULL: none
    const char *examples;         // lines
    cli_exit (*run)(cli *c);
    const char *alias; // another name of the command; NULL: none
    const char *hint;  // what was probably meant when the command is used wrongly; NULL: none
} cli_command;

struct cli {
    const cli_command *command;
    args args;
    const char *server; // HOST:PORT as given
    int timeout_ms;
    bool json;
    bool utf8;               // the locale can show UTF-8
    bool colour;             // standard output should be coloured
    carom_client *client;    // NULL until cli_connect
    char done[CLI_DONE_MAX]; // text of the call in flight, for show_done: "body 3 removed"
};

extern const args_option cli_globals[];

#define CLI_SERVER_DEFAULT "127.0.0.1:22766"

// ---- errors (errors.c)

// Sets the name of the program in errors, and the words that call its one command; NULL: "carom
// COMMAND". Before this call the name is "carom". Both strings must live as long as the process.
void cli_program_is(const char *name, const char *called);
const char *cli_program(void);
// Most bytes of the words that call a command: "carom spawn", "carom-load".
enum { CLI_CALLED_MAX = 64 };
void cli_called(const cli_command *command, char out[CLI_CALLED_MAX]);

// The code of an error, for --json: the protocol's word (carom_status_name), or one of these.
#define CLI_CODE_USAGE "usage" // the command line
#define CLI_CODE_FILE  "file"  // a local file

// While `hushed`, no errors are printed: for an attempt that may fail and is repeated.
void cli_errors_hush(bool hushed);

// Prints errors as JSON from here on. Each is printed when the next one begins or by
// cli_error_flush, since its hints are part of it.
void cli_errors_as_json(void);
void cli_error_flush(void);

// Prints the program's name and the text on standard error; control characters in foreign text
// become '?'.
void cli_error(const char *code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Prints a line below an error that says what to do next.
void cli_hint(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Reports an error in a local file (or standard input, "-") with this text, in the form of
// compilers: "FILE:3: …". `error` begins with a line ("line 3, column 5: …") or with the path of a
// JSON value, whose line is looked up. Returns CLI_USAGE.
cli_exit cli_file_fault(const char *code, const char *path, const char *text, const char *error);
// Prints something that a person should know although the command worked; not printed with --json.
void cli_note(const cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Reports a usage error of the command: the text, and how to show its help. Returns CLI_USAGE.
cli_exit cli_usage(const cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Reports that memory has run out. Returns CLI_REFUSED.
cli_exit cli_out_of_memory(void);
// Reports the error with a hint, and maps it: an error that the server sent is CLI_REFUSED, a lost
// or missing connection CLI_LOST. For an unknown world or scene the hint names a similar one, which
// takes one more call to the server. Not from within a callback.
cli_exit cli_fail(const cli *c, const carom_error *error);
// As cli_fail, for an error of carom_poll: the connection is lost, whichever side closed it.
cli_exit cli_lost(const cli *c, const carom_error *error);
// As cli_fail, for the notification world_closed, which ends a subscription: CLI_LOST when the
// server ends, else CLI_REFUSED. `world` is the name to print when the notification has none.
cli_exit cli_world_closed(const char *world, const carom_value *params);

// ---- the connection (connect.c)

// Finds the server's address, from --server or the profile, and how its certificate is checked
// (--ca, --tls-name). The texts in `tls` live as long as `c`.
cli_exit cli_find(const cli *c, char *host, size_t host_size, uint16_t *port, carom_tls *tls);
// Opens another connection to the server: commands with one connection use cli_connect. `options`
// may be NULL.
cli_exit cli_open(const cli *c, const carom_options *options, carom_client **out);
// Connects c->client with these handlers (NULL: none).
cli_exit cli_connect(cli *c, const carom_handlers *handlers);
// As cli_connect, for commands that run until they are stopped: a lost connection is dialed again
// for some seconds, and the session continues with its subscriptions, also after a restart of a
// server that keeps them (caromd --data).
cli_exit cli_connect_lasting(cli *c, const carom_handlers *handlers);
// Whether a command that shows the server live waits for it after this error: yes if it ends or
// restarts; a deliberate end, as by a kick, is reported. It tries each CLI_AGAIN_S to connect, for
// CLI_AGAIN_MAX_S, as the library does.
bool cli_may_come_back(const carom_error *error);
#define CLI_AGAIN_S     0.5
#define CLI_AGAIN_MAX_S 15.0
// Replaces the connection by a lasting one, without handlers, to `where` (HOST:PORT; NULL: the
// same server), which resumes the session with that secret (NULL: a new one). The address has to be
// one that libcarom has followed the world to: it gets the token. False, and nothing has changed,
// when that does not work; nothing is reported.
bool cli_go_to(cli *c, const char *where, const char *resume, int timeout_ms);

// Connects if necessary and calls. Takes over `call_args` (NULL: none). The caller frees *result
// (`result` may be NULL). Errors are reported here.
cli_exit cli_call(cli *c, const char *method, carom_value *call_args, carom_value **result);
// As cli_call; if the server refuses `argument`, a hint names the file from which it was read.
cli_exit cli_call_of_file(cli *c, const char *method, carom_value *call_args, const char *argument,
                          const char *path, carom_value **result);
// As cli_call, and prints the answer: as JSON with --json, else with `show` (NULL: prints nothing).
cli_exit cli_call_show(cli *c, const char *method, carom_value *call_args,
                       void (*show)(cli *c, const carom_value *result));

// Sets c->done. Returns c, so that the call can be an argument.
cli *cli_done(cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Makes the map {world: first operand}, with which most calls begin.
carom_value *cli_world_args(const cli *c);

// ---- results

// Prints text for people: characters that act on a terminal's line (text_tame) become '?', as in
// texts of a server, of another client or of a file. `cli_print_line` ends the line.
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Prints a value as JSON on one line. Characters that act on a terminal's line are escaped.
cli_exit cli_print_json(const carom_value *value);
// Prints a value as indented JSON, for people.
cli_exit cli_print_pretty(const carom_value *value);

// Checks that the option, if given, is a rate that a subscription accepts [1/s].
#define CLI_RATE_MIN 0.01
#define CLI_RATE_MAX 1000.0
cli_exit cli_check_rate(const cli *c, const char *option);

// Seconds on the monotonic clock.
double cli_now(void);

// Reads a whole file, or standard input for "-": zero-terminated, to be freed by the caller. At
// most CLI_FILE_MAX bytes. CLI_USAGE when it cannot be read, since the command line names it.
#define CLI_FILE_MAX ((size_t)64 << 20)
cli_exit cli_read_file(const char *path, char **out, size_t *size);
// For a file that cannot be read, of a command with the operands FILE WORLD: they may be swapped.
void cli_hint_swapped(const cli *c, const char *path, const char *world);

#endif
