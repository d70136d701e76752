// The text of report.html, embedded by the build. Constant data; any thread.
#ifndef CAROM_CLIENT_LOAD_REPORT_PAGE_H
#define CAROM_CLIENT_LOAD_REPORT_PAGE_H

extern const char report_page[];

#endif
