// The reference of PROTOCOL.md, as Markdown from the tables of the code, and the limits that its
// text names.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_REFERENCE_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_REFERENCE_H

// Each method's arguments, shapes, filters and settings of joints.
void reference_print(void);

// NAME VALUE, a line each.
void reference_print_limits(void);

#endif
