// Every maximum of the storage room: its name, its value, the reason for it.
//
// Those in the first block are fixed by the format: a file that claims more is damaged, and nothing
// is allocated on its word. Those in the second block are defaults of storage_options, which an
// operator may change.
#ifndef CAROM_SERVER_STORAGE_LIMITS_H
#define CAROM_SERVER_STORAGE_LIMITS_H

enum {
    STORAGE_NAME_BYTES_MAX = 96, // name of a world: 64 as on the wire, a dot, its epoch
    STORAGE_WORLDS_MAX = 4096,   // the server's own largest setting; each segment begins with all
    STORAGE_RECORD_BYTES_MAX = 16 << 20, // a tick's commands: sixteen of the largest messages
    // one write; fits two of the largest records and the catalogue
    STORAGE_GROUP_BYTES_MAX = 32 << 20,
    STORAGE_IMAGE_CHUNK_BYTES = 256 << 10, // written and synced at a time, so that a commit waits
                                           // for a millisecond or two and not for a whole image
    STORAGE_GROUP_RECORDS_MAX = 1 << 16,   // records of a group; further ones wait for the next
    STORAGE_SEGMENTS_MAX = 1 << 16         // segments of a directory; at 64 MiB each, 4 TiB of log
};

#define STORAGE_IMAGE_BYTES_MAX (UINT64_C(2) << 30) // 1 048 576 bodies of about 1 KiB, twice

#define STORAGE_QUEUE_BYTES_DEFAULT                                                                \
    (UINT64_C(64) << 20) // four of the largest records: a second of
                         // a slow disk
#define STORAGE_IMAGE_QUEUE_BYTES_DEFAULT (UINT64_C(512) << 20) // images that wait to be written
#define STORAGE_SEGMENT_BYTES_DEFAULT     (UINT64_C(64) << 20)  // unit in which log is dropped
#define STORAGE_AHEAD_BYTES                                                                        \
    (UINT64_C(1) << 20) // step by which the log's file is extended beyond the log
#define STORAGE_LOG_BYTES_DEFAULT                                                                  \
    (UINT64_C(1) << 30) // past that, worlds that hold back the oldest
                        // segment are asked for a checkpoint
#define STORAGE_IMAGES_A_SECOND                                                                    \
    64 // checkpoints that only make a restart shorter: each of them syncs
       // two or three times
// A slow disk makes fewer: writing them takes this share of the storage thread's time at most.
#define STORAGE_IMAGES_SHARE    0.5
// The newest work that `normal` may lose when the power fails [ms].
#define STORAGE_SYNC_MS_DEFAULT 1000

#endif
