// A server for tests of the client: a thread that listens on a loopback port of the system's
// choice, accepts one connection after the other, and answers with the test's handler. It uses the
// client's own codecs for valid messages, and sends arbitrary bytes for invalid ones.
#ifndef CAROM_TESTS_UNIT_CLIENT_FAKE_SERVER_H
#define CAROM_TESTS_UNIT_CLIENT_FAKE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/value.h>

typedef struct fake_server fake_server;

typedef struct fake_message {
    bool request; // false: a notification
    uint32_t id;
    const char *method;
    const carom_value *args; // the arguments' map
} fake_message;

// Called on the server's thread for each message.
typedef void (*fake_handler)(fake_server *server, const fake_message *message, void *user);

typedef struct fake_options {
    fake_handler handler; // NULL: fake_answer
    void *user;
    bool deaf;         // accepts and never reads
    int receive_bytes; // size of the socket's receive buffer; 0: the system's default
} fake_options;

fake_server *fake_start(const fake_options *options); // NULL: all defaults
void fake_stop(fake_server *server);                  // joins the thread
uint16_t fake_port(const fake_server *server);

// A well-behaved server: hello is answered, "echo" answers its arguments, "silence"
// nothing, everything else with unknown_method.
void fake_answer(fake_server *server, const fake_message *message);

// These send on the last accepted connection. Any thread. They take the values over.
void fake_reply(fake_server *server, uint32_t id, carom_value *result);
void fake_refuse(fake_server *server, uint32_t id, const char *text);
void fake_notify(fake_server *server, const char *named, carom_value *params);
void fake_send(fake_server *server, const void *bytes, size_t size);
void fake_hang_up(fake_server *server);

// The number of messages and bytes that have arrived, including hello.
unsigned fake_received(fake_server *server);
uint64_t fake_received_bytes(fake_server *server);

// Makes the handlers' writes before their answers visible to the caller, and the caller's writes
// visible to later handlers.
void fake_sync(fake_server *server);

// A port without a listener.
uint16_t fake_closed_port(void);

#endif
