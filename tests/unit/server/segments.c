// See segments.h. A file of its own: the kernel's header has more of tcp_info than that of the C
// library, which libuv includes, and the two exclude each other.
#include "tests/unit/server/segments.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/base/assert.h"

uint32_t segments_sent(int descriptor)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    int result = getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size);
    ASSERT(result == 0);
    return info.tcpi_data_segs_out;
}
