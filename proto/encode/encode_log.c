// Notifications of encoding log, as MessagePack; see encode.h. Any thread.
#include "proto/encode/encode.h"

#include "proto/encode/encode_pack.h"
#include "proto/log/log_compact.h"
#include "proto/wire/buffer.h"

uint32_t encode_log_tail(struct buffer *out, const char *world, uint64_t epoch,
                         const log_record *record)
{
    packer k = buffer_packer(out);
    uint32_t pairs = 0;
    if (record->image != NULL) {
        pair_text(&k, "world", world);
        pair_uint(&k, "epoch", epoch);
        pair_bool(&k, "full", true);
        pairs = 3;
    }
    return pairs + log_record_encode_pairs(out, record);
}

void encode_compact_head(struct buffer *out, const snapshot_head *head, size_t tail_size)
{
    packer k = buffer_packer(out);
    buffer number;
    buffer_init(&number, LOG_VARINT_BYTES_MAX);
    log_varint_write(&number, head->subscription);
    rpc_pack_notification(&k, "log");
    pack_map(&k, head->has_margin ? 2 : 1);
    if (head->has_margin) {
        pair_double(&k, "margin", head->margin);
    }
    pack_text(&k, "data");
    msgpack_pack_bin(&k, number.size + tail_size);
    buffer_append(out, number.data, number.size);
    buffer_deinit(&number);
}
