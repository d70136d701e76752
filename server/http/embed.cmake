# embed_files(file.c [path file] …): writes a C file that holds the
# bytes of these files in a table of the paths that they are served at (files.h). The assembler reads them (.incbin), so that
# a file's change builds this one alone again.
#
# Texts and WebAssembly are also stored compressed, for browsers that accept it: by gzip without
# name and time, so that the same file gives the same bytes. Without gzip on the machine only the
# plain form is stored.
find_program(CAROM_GZIP gzip)
set(CAROM_GZIP_ENDINGS "\\.(html|js|css|svg|json|webmanifest|wasm|txt)$")

function(embed_files out)
    set(blocks "")
    set(rows "")
    set(inputs "")
    set(index 0)
    set(rest ${ARGN})
    file(MAKE_DIRECTORY ${out}.packed)
    while(rest)
        list(POP_FRONT rest path file)
        string(APPEND blocks
            "EMBED(${index}, \"${file}\")\n")
        set(packed "NULL, NULL")
        if(CAROM_GZIP AND file MATCHES "${CAROM_GZIP_ENDINGS}")
            set(gz ${out}.packed/${index}.gz)
            add_custom_command(OUTPUT ${gz} COMMAND ${CAROM_GZIP} -9nc ${file} > ${gz} DEPENDS ${file}
                COMMENT "Packing ${path}" VERBATIM)
            string(APPEND blocks "EMBED(packed_${index}, \"${gz}\")\n")
            set(packed "embedded_packed_${index}, embedded_packed_${index}_end")
            list(APPEND inputs ${gz})
        endif()
        string(APPEND rows "    {\"${path}\", embedded_${index}, embedded_${index}_end, ${packed}},\n")
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
@rows@    {NULL, NULL, NULL, NULL, NULL},
};
]=])
    set_source_files_properties(${out} PROPERTIES OBJECT_DEPENDS "${inputs}")
endfunction()
