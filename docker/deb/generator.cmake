# Read by cpack once for each kind of package: an archive is unpacked anywhere, and has bin, lib and share at its top.
if(CPACK_GENERATOR STREQUAL "TGZ")
    set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
