/* A stranger's tool that knows scene files: libcarom-scene beside libcarom. */
#include <carom/carom.h>
#include <carom/json.h>
#include <carom/scene.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    carom_value *args = carom_set(carom_map(), "position", carom_vec(1, 2));
    char *text = carom_json_print(args, false, NULL);
    carom_error error;
    carom_client *nobody = NULL;
    carom_status status = carom_scene_apply(nobody, "lab", "{}", 2, NULL, NULL, &error);
    int good = text != NULL && strcmp(text, "{\"position\":[1.0,2.0]}") == 0 &&
               status == CAROM_INVALID_ARGUMENT;
    printf("%s %s\n", text, error.text);
    carom_free_text(text);
    carom_value_free(args);
    return good ? 0 : 1;
}
