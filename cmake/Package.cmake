# Installation and the .deb.
install(FILES docs/visar.1 docs/visar-certify.1 DESTINATION share/man/man1)
install(FILES LICENSE DESTINATION share/doc/visar RENAME copyright)
install(FILES README.md NEWS.md DESTINATION share/doc/visar)
install(DIRECTORY docs examples DESTINATION share/doc/visar PATTERN "*.1" EXCLUDE)
# Completion is made by the program itself, from its table of options.
foreach(shell bash zsh)
    if(shell STREQUAL bash)
        set(file bash-completion/completions/visar)
    else()
        set(file zsh/vendor-completions/_visar)
    endif()
    install(CODE "
        set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${file}\")
        get_filename_component(folder \"\${file}\" DIRECTORY)
        file(MAKE_DIRECTORY \"\${folder}\")
        message(STATUS \"Installing: \${file}\")
        execute_process(COMMAND \"$<TARGET_FILE:visar>\" completion ${shell}
                        OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME visar)
set(CPACK_PACKAGE_CONTACT "The visar authors <visar@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "isolation levels, verified\n Verifies application invariants against database isolation levels and checks\n recorded histories against the same definitions.")
# Shared libraries are found by dpkg-shlibdeps, but for those that are loaded late (LateLibrary).  libclang also reads its own headers (stdbool.h,
# stdint.h, …) at run time, and <limits.h> and the like come from the C library.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
get_filename_component(LIBCLANG_REAL ${LibClang_LIBRARY} REALPATH)
string(REGEX MATCH "llvm-([0-9]+)" _ ${LIBCLANG_REAL}${LibClang_LIBRARY}${LibClang_INCLUDE_DIR})
if(CMAKE_MATCH_1)
    set(VISAR_PACKAGES libclang-common-${CMAKE_MATCH_1}-dev libc6-dev)
endif()
get_property(VISAR_LATE GLOBAL PROPERTY VISAR_LATE_PACKAGES)
list(APPEND VISAR_LATE ${VISAR_PACKAGES})
list(JOIN VISAR_LATE ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
include(CPack)
