// The calls of PROTOCOL.md with their answers, in the document's order, printed as message_print
// does.
#ifndef CAROM_TESTS_UNIT_PROTO_EXAMPLES_CALLS_H
#define CAROM_TESTS_UNIT_PROTO_EXAMPLES_CALLS_H

void calls_print(void);

#endif
