# Runs proto/generate.py, which writes C from proto/schema into CAROM_GENERATED, each file under the
# path that it would have in the tree, so that its include line looks like any other. An unchanged
# file is not touched: editing a comment of the schema rebuilds nothing.
#
# carom_options, which every target links, waits for it.
set(CAROM_GENERATED ${PROJECT_BINARY_DIR}/generated)

# The system's own Python first: one before it in PATH may be another version.
find_program(CAROM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(CAROM_PYTHON python3)
if(NOT CAROM_PYTHON)
    message(FATAL_ERROR "Python 3 was not found, which writes the table of methods. ./docker/install.sh build "
        "installs it (Debian: python3).")
endif()
execute_process(COMMAND ${CAROM_PYTHON} -c "import tomllib" RESULT_VARIABLE no_tomllib ERROR_QUIET)
if(no_tomllib)
    message(FATAL_ERROR "${CAROM_PYTHON} has no tomllib: Python 3.11 or a later one is needed "
        "(-DCAROM_PYTHON=PATH names another).")
endif()

set(generate ${PROJECT_SOURCE_DIR}/proto/generate.py)
file(GLOB generate_sources CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/proto/schema/*.toml ${PROJECT_SOURCE_DIR}/proto/generate/*.py)
# The headers whose constants it reads, and the files that it writes.
execute_process(COMMAND ${CAROM_PYTHON} ${generate} --list OUTPUT_VARIABLE generated
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CAROM_PYTHON} ${generate} --headers OUTPUT_VARIABLE generate_headers
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" generated "${generated}")
string(REPLACE "\n" ";" generate_headers "${generate_headers}")
list(TRANSFORM generated PREPEND ${CAROM_GENERATED}/)
list(TRANSFORM generate_headers PREPEND ${PROJECT_SOURCE_DIR}/)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${generate} ${PROJECT_SOURCE_DIR}/proto/schema/limits.toml)
add_custom_command(OUTPUT ${CAROM_GENERATED}/stamp BYPRODUCTS ${generated}
    COMMAND ${CAROM_PYTHON} ${generate} --into ${CAROM_GENERATED}
    COMMAND ${CMAKE_COMMAND} -E touch ${CAROM_GENERATED}/stamp
    DEPENDS ${generate} ${generate_sources} ${generate_headers}
    COMMENT "Writing what follows from proto/schema" VERBATIM)
add_custom_target(carom_schema DEPENDS ${CAROM_GENERATED}/stamp)

# Rewrites the generated files that are checked in: `cmake --build … --target schema_write`.
add_custom_target(schema_write COMMAND ${CAROM_PYTHON} ${generate} --write VERBATIM)

target_include_directories(carom_options INTERFACE ${CAROM_GENERATED})
add_dependencies(carom_options carom_schema)
