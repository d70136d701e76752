/* A stranger's tool that holds a replica: libcarom-replica beside libcarom. */
#include <carom/carom.h>
#include <carom/replica.h>
#include <stdio.h>

int main(void)
{
    carom_replica *replica = carom_replica_create();
    carom_error error;
    carom_value *result = NULL;
    carom_status asked = carom_replica_call(replica, "world.state", NULL, &result, &error);
    printf("%s\n", error.text);
    carom_status fed = carom_replica_feed(replica, "nonsense", 8, &error);
    printf("%s\n", error.text);
    int good = asked == CAROM_UNAVAILABLE && fed == CAROM_INVALID_ARGUMENT && result == NULL &&
               !carom_replica_now(replica).ready && carom_replica_engine() > 0;
    carom_replica_free(replica);
    return good ? 0 : 1;
}
