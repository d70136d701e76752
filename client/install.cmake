# The installation of libcarom, libcarom-scene and libcarom-replica: shared libraries (component libcarom), and
# headers, static libraries, CMake package, pkg-config files, documentation (libcarom-dev). Any part of it may
# be moved: paths are found from where the files lie. All of it is there once more for Debian's packages, as
# components that only they take.
include(CMakePackageConfigHelpers)

# pkg-config follows Requires.private even where it links a shared library, so that a stranger would
# need the .pc files of msgpack-c and jansson. Their flags stand in Libs.private instead.
string(JOIN " " CAROM_MSGPACK_LIBS ${MSGPACK_LDFLAGS})
string(JOIN " " CAROM_JANSSON_LIBS ${JANSSON_LDFLAGS})
write_basic_package_version_file(caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)

# carom_install_development(LIBDIR folder TARGETS start-of-the-export-sets-names COMPONENT name [EXCLUDE_FROM_ALL])
function(carom_install_development)
    cmake_parse_arguments(DEV "EXCLUDE_FROM_ALL" "LIBDIR;TARGETS;COMPONENT" "" ${ARGN})
    set(where COMPONENT ${DEV_COMPONENT})
    if(DEV_EXCLUDE_FROM_ALL)
        list(APPEND where EXCLUDE_FROM_ALL)
    endif()
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${DEV_COMPONENT})
    set(cmake_dir ${DEV_LIBDIR}/cmake/carom)

    install(EXPORT ${DEV_TARGETS}_shared_targets NAMESPACE carom:: FILE caromTargets.cmake
        DESTINATION ${cmake_dir} ${where})
    install(EXPORT ${DEV_TARGETS}_static_targets NAMESPACE carom:: FILE caromStaticTargets.cmake
        DESTINATION ${cmake_dir} ${where})
    configure_package_config_file(caromConfig.cmake.in ${made}/caromConfig.cmake
        INSTALL_DESTINATION ${cmake_dir} NO_SET_AND_CHECK_MACRO)
    install(FILES ${made}/caromConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/caromConfigVersion.cmake
        DESTINATION ${cmake_dir} ${where})

    set(CAROM_PC_LIBDIR ${DEV_LIBDIR})
    file(RELATIVE_PATH CAROM_PC_PREFIX /${DEV_LIBDIR}/pkgconfig /)
    string(REGEX REPLACE "/$" "" CAROM_PC_PREFIX "${CAROM_PC_PREFIX}")
    foreach(name carom carom-scene carom-replica)
        configure_file(${name}.pc.in ${made}/${name}.pc @ONLY)
        install(FILES ${made}/${name}.pc DESTINATION ${DEV_LIBDIR}/pkgconfig ${where})
    endforeach()

    # Headers, documentation, and programs to read. The manual pages of the programs are their help texts.
    install(DIRECTORY ${CAROM_INCLUDE_DIR}/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        ${where} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
    install(FILES ${PROJECT_SOURCE_DIR}/proto/PROTOCOL.md DESTINATION ${CMAKE_INSTALL_DOCDIR} ${where})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/client/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        ${where} FILES_MATCHING PATTERN "*.c")
    install(FILES ${PROJECT_SOURCE_DIR}/client/libcarom.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 ${where})
endfunction()

carom_install_development(LIBDIR ${CMAKE_INSTALL_LIBDIR} TARGETS carom COMPONENT libcarom-dev)
carom_install_development(LIBDIR ${CAROM_DEBIAN_LIBDIR} TARGETS carom_debian COMPONENT debian-libcarom-dev
    EXCLUDE_FROM_ALL)
