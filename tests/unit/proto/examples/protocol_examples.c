// The examples of PROTOCOL.md, made by the code that it describes.
//
//   protocol_examples examples     each message of each example as a line of JSON:
//                                  {"name", "from": "client" | "server", "value", "hex"}
//   protocol_examples reference    the methods' arguments, from the table, as Markdown
//   protocol_examples bytes        bytes that are no message, piece by piece, as lines of JSON:
//                                  {"name", "hex", "meaning"}
//   protocol_examples limits       the limits of proto/limits.h that the text names, as NAME VALUE
//
// Values that depend on the engine's internals (hashes) or on time are fixed numbers.
// test_protocol.py compares the document with this, and writes it into it on demand.
#include <stdio.h>
#include <string.h>

#include "tests/unit/proto/examples/calls.h"
#include "tests/unit/proto/examples/log_bytes.h"
#include "tests/unit/proto/examples/notifications.h"
#include "tests/unit/proto/examples/packed_example.h"
#include "tests/unit/proto/examples/pieces.h"
#include "tests/unit/proto/examples/reference.h"

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "examples") == 0) {
        calls_print();
        notifications_print();
    } else if (strcmp(what, "reference") == 0) {
        reference_print();
    } else if (strcmp(what, "bytes") == 0) {
        log_bytes_print();
        packed_example(piece_print);
    } else if (strcmp(what, "limits") == 0) {
        reference_print_limits();
    } else {
        fprintf(stderr, "usage: protocol_examples examples|reference|bytes|limits\n");
        return 2;
    }
    return 0;
}
