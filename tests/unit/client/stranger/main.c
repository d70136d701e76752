/* A program of a user who has installed libcarom and nothing else of the project. It has
 * functions of its own whose names the inside of the library uses, too. */
#include <carom/carom.h>
#include <stdio.h>
#include <string.h>

int error_set(void);
int buffer_init(void);
int log_write(void);

int error_set(void)
{
    return 1;
}

int buffer_init(void)
{
    return 2;
}

int log_write(void)
{
    return 3;
}

int main(void)
{
    carom_value *args = carom_set(carom_map(), "position", carom_vec(1, 2));
    carom_error error;
    carom_client *client = NULL;
    carom_view *view = carom_view_create(NULL);
    /* Nothing listens on port 1: the program expects an error. */
    carom_status status = carom_connect("127.0.0.1", 1, 1000, NULL, &client, &error);
    int sum = error_set() + buffer_init() + log_write();
    int good = carom_get_real(args, "position[1]", 0) > 1 && strcmp(carom_version(), "") != 0 &&
               status == CAROM_UNAVAILABLE && view != NULL && sum == 6 &&
               carom_method_find("ping", NULL, NULL);
    printf("%s %s\n", carom_version(), error.text);
    carom_view_free(view);
    carom_value_free(args);
    return good ? 0 : 1;
}
