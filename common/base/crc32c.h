// CRC-32C: the checksum of logs, recordings and stored images.
//
// The Castagnoli polynomial (G. Castagnoli, S. Bräuer, M. Herrmann, "Optimization of Cyclic
// Redundancy-Check Codes with 24 and 32 Parity Bits", IEEE Transactions on Communications 41,
// 1993) as iSCSI uses it (RFC 3720, appendix B.4): reflected, all bits set at first and inverted at
// the end. It detects every error burst of up to 32 bits.
//
// Pure; any thread.
#ifndef CAROM_COMMON_BASE_CRC32C_H
#define CAROM_COMMON_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

// The checksum of the bytes that `crc` already covers followed by these; `crc` is 0 for none.
// crc32c(crc32c(0, a), b) is the checksum of a and b in a row. `bytes` may be NULL if `size` is 0.
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);

// The same without the processor's instruction for it, as on processors that lack it.
uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t size);

#endif
