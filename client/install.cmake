# The installation of libcarom, libcarom-scene and libcarom-replica, as the components libcarom (shared
# libraries) and libcarom-dev (headers, static libraries, CMake package, pkg-config files,
# documentation). Any part of it may be moved: paths are found from where the files lie.
set(CAROM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)
install(DIRECTORY ${CAROM_INCLUDE_DIR}/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT libcarom-dev FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(EXPORT carom_shared_targets NAMESPACE carom:: FILE caromTargets.cmake
    DESTINATION ${CAROM_CMAKE_DIR} COMPONENT libcarom-dev)
install(EXPORT carom_static_targets NAMESPACE carom:: FILE caromStaticTargets.cmake
    DESTINATION ${CAROM_CMAKE_DIR} COMPONENT libcarom-dev)

include(CMakePackageConfigHelpers)
configure_package_config_file(caromConfig.cmake.in caromConfig.cmake
    INSTALL_DESTINATION ${CAROM_CMAKE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/caromConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/caromConfigVersion.cmake
    DESTINATION ${CAROM_CMAKE_DIR} COMPONENT libcarom-dev)

# pkg-config follows Requires.private even where it links a shared library, so that a stranger would
# need the .pc files of msgpack-c and jansson. Their flags stand in Libs.private instead.
string(JOIN " " CAROM_MSGPACK_LIBS ${MSGPACK_LDFLAGS})
string(JOIN " " CAROM_JANSSON_LIBS ${JANSSON_LDFLAGS})
file(RELATIVE_PATH CAROM_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" CAROM_PC_PREFIX "${CAROM_PC_PREFIX}")
foreach(name carom carom-scene carom-replica)
    configure_file(${name}.pc.in ${name}.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libcarom-dev)
endforeach()

# Documentation, and programs to read. The manual pages of the programs are their help texts.
install(FILES ${PROJECT_SOURCE_DIR}/proto/PROTOCOL.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libcarom-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/client/examples
    DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT libcarom-dev FILES_MATCHING PATTERN "*.c")
install(FILES ${PROJECT_SOURCE_DIR}/client/libcarom.3
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libcarom-dev)
