// The part of PROTOCOL.md's reference that only the code knows, as Markdown, and the limits that
// its text names.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_REFERENCE_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_REFERENCE_H

// Settings of joints by kind, and the numbers of the compact form.
void reference_print(void);

// Prints one line NAME VALUE for each limit.
void reference_print_limits(void);

#endif
