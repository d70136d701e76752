// Values for people: a map as lines, a number or a vector as a word.
//
// Main thread only.
#ifndef CAROM_CLIENT_CLI_SHOW_H
#define CAROM_CLIENT_CLI_SHOW_H

#include <stddef.h>
#include <stdio.h>

#include <carom/carom.h>

#include "client/tool/cli.h"
#include "client/tool/table.h"

// Prints a map as a table of names and values; maps within it are indented below their name.
cli_exit show_map(const carom_value *map, FILE *out);

// Prints a value on one line without cutting it: numbers, texts and arrays of numbers in the form
// of show_word, all others as JSON.
void show_line(const carom_value *value);

// Writes a value as one short text: numbers with at most six decimals, arrays of numbers as "1, 2",
// all others as JSON.
void show_word(const carom_value *value, char *out, size_t size);

// Adds the same text as a table's next cell; "-" for an absent value.
void show_cell(table *t, const carom_value *value);

// A paused world that is stepped faster than this [ticks/s] counts as stepped.
#define SHOW_STEPPED_HZ 1.0

// Whether the world of a map of world.list is paused and nobody steps it.
bool show_world_stands(const carom_value *world);
// The state in a map of world.list: "running", "paused", "not served", or "stepped at 15 Hz".
const char *show_world_state(const carom_value *world, char *out, size_t size);
// The table mark for that state.
table_mark show_world_mark(const carom_value *world);

// A message's sender, name and data on one line: "ada: chat good game". Control characters are '?',
// since the text is another client's.
void show_message(const carom_event *event, char *out, size_t size);

// For cli_call_show: prints the text given to cli_done, with the tick of the result: "body 3
// removed (tick 17)".
void show_done(cli *c, const carom_value *result);

#endif
