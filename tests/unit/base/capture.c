// The output goes to a temporary file, not to a pipe: nothing can block, however much is written.
#include "tests/unit/base/capture.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/assert.h"

static size_t read_back(FILE *file, char *text, size_t size)
{
    long written = lseek(fileno(file), 0, SEEK_END);
    ASSERT(written >= 0);
    rewind(file);
    size_t kept = fread(text, 1, size - 1, file);
    text[kept] = '\0';
    fclose(file);
    return (size_t)written;
}

size_t capture_stderr(void (*body)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    ASSERT(file != NULL);
    fflush(stderr);
    int saved = dup(STDERR_FILENO);
    ASSERT(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    body();
    fflush(stderr);
    ASSERT(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    return read_back(file, text, size);
}

int capture_exit(void (*body)(void), char *text, size_t size)
{
    FILE *file = tmpfile();
    ASSERT(file != NULL);
    fflush(NULL);
    pid_t child = fork();
    ASSERT(child >= 0);
    if (child == 0) {
        ASSERT(dup2(fileno(file), STDERR_FILENO) >= 0);
        body();
        _exit(0);
    }
    int wait_status = 0;
    ASSERT(waitpid(child, &wait_status, 0) == child);
    read_back(file, text, size);
    return wait_status;
}
