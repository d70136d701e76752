// Writing to files: what several modules need of it. Any thread.
#ifndef CAROM_SERVER_BASE_FILE_H
#define CAROM_SERVER_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

// Writes all of the bytes, in as many pieces as the system takes. False: see errno; some of them
// may be written.
bool file_write_all(int fd, const void *bytes, size_t size);

#endif
