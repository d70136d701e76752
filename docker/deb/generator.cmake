# cpack reads this file once for each kind of package. An archive can be unpacked anywhere, and has bin, lib and share
# at its top. Debian packages have the libraries in the architecture's folder and list their dependencies: without the
# tools that find these, none is made.
if(CPACK_GENERATOR STREQUAL "TGZ")
    set(CPACK_PACKAGING_INSTALL_PREFIX /)
elseif(CPACK_GENERATOR STREQUAL "DEB")
    set(CPACK_COMPONENTS_ALL caromd carom debian-libcarom debian-libcarom-dev)
    find_program(CAROM_SHLIBDEPS dpkg-shlibdeps)
    find_program(CAROM_FILE file)
    set(missing "")
    if(NOT CAROM_SHLIBDEPS)
        list(APPEND missing dpkg-dev)
    endif()
    if(NOT CAROM_FILE)
        list(APPEND missing file)
    endif()
    if(missing)
        list(JOIN missing " " missing)
        message(FATAL_ERROR "No .deb is made: a package could not say which libraries it depends on. Missing are "
            "(Debian: apt-get install) ${missing}; `cpack -G TGZ` makes the archive alone.")
    endif()
endif()
