# embed_files(file.c [path file] …): writes a C file that holds the
# bytes of these files in a table of the paths that they are served at (files.h). The assembler reads them (.incbin), so that
# nothing needs to run on the machine that builds, and a file's change builds this one alone again.
function(embed_files out)
    set(blocks "")
    set(rows "")
    set(inputs "")
    set(index 0)
    set(rest ${ARGN})
    while(rest)
        list(POP_FRONT rest path file)
        string(APPEND blocks
            "EMBED(${index}, \"${file}\")\n")
        string(APPEND rows "    {\"${path}\", embedded_${index}, embedded_${index}_end},\n")
        list(APPEND inputs ${file})
        math(EXPR index "${index} + 1")
    endwhile()
    file(CONFIGURE OUTPUT ${out} @ONLY CONTENT [=[
// Written by embed.cmake.
#include "server/http/files.h"

#define EMBED(index, path)                                                                         \
    extern const uint8_t embedded_##index[], embedded_##index##_end[];                             \
    __asm__(".pushsection .rodata\n"                                                               \
            ".global embedded_" #index "\n.hidden embedded_" #index "\n"                           \
            ".global embedded_" #index "_end\n.hidden embedded_" #index "_end\n"                   \
            "embedded_" #index ":\n.incbin \"" path "\"\n"                                         \
            "embedded_" #index "_end:\n.byte 0\n.popsection\n");

@blocks@
const embedded_file EMBEDDED_FILES[] = {
@rows@    {NULL, NULL, NULL},
};
]=])
    set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS "${inputs}")
endfunction()
