// libcarom: everything at once; each header says what it is about. A first program:
//
//   carom_client *client;
//   carom_error error;
//   if (carom_connect("127.0.0.1", 0, 5000, NULL, &client, &error) != CAROM_OK) {
//       fprintf(stderr, "%s\n", error.text);
//       return 1;
//   }
//   carom_view *view = carom_view_create(NULL);
//   carom_watch(client, "demo", NULL, view, 5000, NULL, NULL);
//   while (carom_poll(client, 1000, NULL) == CAROM_OK) {
//       for (size_t i = 0; i < carom_view_count(view); i++) {
//           const carom_body *body = carom_view_body(view, i);
//           printf("%llu is at %g, %g\n", (unsigned long long)body->id, body->x, body->y);
//       }
//   }
//   carom_view_free(view);
//   carom_free(client);
#ifndef CAROM_CAROM_H
#define CAROM_CAROM_H

#include <carom/calls.h>
#include <carom/client.h>
#include <carom/export.h>
#include <carom/methods.h>
#include <carom/scene.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>
#include <carom/view.h>

#endif
