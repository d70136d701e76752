// A certificate that nobody has signed, for tests of TLS.
#ifndef CAROM_TESTS_SUPPORT_CERTIFICATE_H
#define CAROM_TESTS_SUPPORT_CERTIFICATE_H

#include "server/net/tls.h"

// Made anew, in two files that are gone again at once. Holds for a day.
tls_files *certificate_open(void);

#endif
