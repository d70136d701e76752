// Runs a fuzz target over the files of a folder, once each, in the order of their names: the corpus
// as an ordinary test, with any compiler.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    // The copy has the exact size, so that a sanitizer sees a read past the end.
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
    size_t got = bytes != NULL && size >= 0 ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    int failed = bytes == NULL || got != (size_t)size;
    if (!failed) {
        LLVMFuzzerTestOneInput(bytes, got);
    }
    free(bytes);
    return failed;
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    if (count < 0) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int run = 0;
    int failed = 0;
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') {
            failed += run_file(path);
            run++;
        }
        free(entries[i]);
    }
    free(entries);
    printf("%d inputs\n", run);
    // An empty corpus must not pass.
    return failed > 0 || run == 0;
}
