# Writes OUTPUT, a C source with the text of each of FILES as a string: "NAME=path" becomes
# `const char NAME[]`. HEADER declares them. Run by the build with cmake -P.
set(out "// Written by embed.cmake.\n#include \"${HEADER}\"\n")
foreach(pair IN LISTS FILES)
    string(REGEX MATCH "^([^=]*)=(.*)$" _ "${pair}")
    set(name "${CMAKE_MATCH_1}")
    file(READ "${CMAKE_MATCH_2}" text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
    string(APPEND out "\nconst char ${name}[] =\n    \"${text}\";\n")
endforeach()
file(WRITE "${OUTPUT}" "${out}")
