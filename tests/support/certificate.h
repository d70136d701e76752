// A self-signed certificate for tests of TLS.
#ifndef CAROM_TESTS_SUPPORT_CERTIFICATE_H
#define CAROM_TESTS_SUPPORT_CERTIFICATE_H

#include "server/net/tls.h"

// Makes a new certificate in two files, which are removed at once. Valid for a day.
tls_files *certificate_open(void);

#endif
