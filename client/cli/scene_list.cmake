# Writes OUTPUT, the names and descriptions of the scene files SCENES, as the C array of
# scene_list.h. Run by the build: cmake -D SCENES=a.json;b.json -D OUTPUT=... -P scene_list.cmake
set(rows "")
foreach(path IN LISTS SCENES)
    file(READ "${path}" text)
    string(JSON name GET "${text}" name)
    string(JSON description GET "${text}" description)
    string(REPLACE "\\" "\\\\" description "${description}")
    string(REPLACE "\"" "\\\"" description "${description}")
    string(APPEND rows "    {\"${name}\", \"${description}\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by scene_list.cmake from proto/scenes.
#include \"client/cli/scene_list.h\"

const scene_entry scene_entries[] = {
${rows}    {0}};
")
