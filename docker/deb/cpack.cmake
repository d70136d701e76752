# Packages: caromd (the server), carom (the command line), libcarom0 (named as the libraries' soname) and libcarom-dev;
# .deb of each, and one .tar.gz of all.
#
#   cmake --preset release && cmake --build --preset release
#   (cd .build/release && cpack)                    both kinds, in .build/release/packages
#
# dpkg-shlibdeps (package dpkg-dev) finds the libraries that a package needs; only the rest is listed by hand.
# client/CMakeLists.txt says why some components are Debian's alone.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(runtime libcarom${CAROM_SOVERSION})
foreach(component caromd carom libcarom-dev)
    install(FILES ${here}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} COMPONENT ${component})
endforeach()
install(FILES ${here}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${runtime} COMPONENT libcarom)
install(FILES ${here}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${runtime}
    COMPONENT debian-libcarom EXCLUDE_FROM_ALL)
install(FILES ${here}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libcarom-dev
    COMPONENT debian-libcarom-dev EXCLUDE_FROM_ALL)

install(FILES ${here}/caromd.conf DESTINATION ${CMAKE_INSTALL_DATADIR}/carom COMPONENT caromd)

set(CPACK_PACKAGE_NAME carom)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_VENDOR "The carom authors")
set(CPACK_PACKAGE_CONTACT "The carom authors <carom@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "authoritative 2D physics worlds that any client can connect to")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE ${here}/generator.cmake)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_COMPONENTS_ALL caromd carom libcarom libcarom-dev) # generator.cmake has Debian's
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/client/lib
    ${PROJECT_BINARY_DIR}/client/scene ${PROJECT_BINARY_DIR}/client/replica)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

set(CPACK_DEBIAN_CAROMD_PACKAGE_NAME caromd)
set(CPACK_DEBIAN_CAROMD_PACKAGE_SECTION net)
set(CPACK_DEBIAN_CAROMD_DESCRIPTION
"server of authoritative 2D physics worlds
 caromd owns worlds that step at a fixed rate. Clients spawn bodies, push them, join
 them and ask about them over TCP or WebSocket, and get snapshots and collision
 events back. Worlds are kept in a log and come back after a restart.")
set(CPACK_DEBIAN_CAROMD_PACKAGE_SUGGESTS "carom, prometheus")
set(CPACK_DEBIAN_CAROMD_PACKAGE_CONTROL_EXTRA ${here}/postinst ${here}/prerm ${here}/postrm)

set(CPACK_DEBIAN_CAROM_PACKAGE_NAME carom)
set(CPACK_DEBIAN_CAROM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_CAROM_DESCRIPTION
"command line for carom physics worlds
 carom watches worlds in a terminal, spawns and pushes bodies, records and replays,
 measures servers under load, signs tokens, and calls every method of a server.")

set(CPACK_DEBIAN_DEBIAN-LIBCAROM_PACKAGE_NAME ${runtime})
set(CPACK_DEBIAN_DEBIAN-LIBCAROM_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEBIAN-LIBCAROM_DESCRIPTION
"client library for carom physics worlds
 libcarom connects a program to caromd, libcarom-scene plays scenes from JSON, and
 libcarom-replica holds exact copies of worlds with the server's own engine.")

set(CPACK_DEBIAN_DEBIAN-LIBCAROM-DEV_PACKAGE_NAME libcarom-dev)
set(CPACK_DEBIAN_DEBIAN-LIBCAROM-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEBIAN-LIBCAROM-DEV_PACKAGE_DEPENDS "${runtime} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEBIAN-LIBCAROM-DEV_PACKAGE_SUGGESTS "libmsgpack-dev, libjansson-dev, libssl-dev")
set(CPACK_DEBIAN_DEBIAN-LIBCAROM-DEV_DESCRIPTION
"client library for carom physics worlds, development files
 Headers for C and C++, static libraries, pkg-config and CMake files, the protocol's
 reference, and example programs.")
set(CPACK_DEBIAN_DEBIAN-LIBCAROM-DEV_PACKAGE_SHLIBDEPS OFF)

include(CPack)
