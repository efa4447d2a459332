# visar_late_library(room NAME file include-dirs…): visar_<room> calls the library through functions
# that load it when it is needed (base/library.h), so it gets the headers, the library's soname and
# where it is, and nothing to link with.  The Debian package that has the library is added to
# VISAR_LATE_PACKAGES, since dpkg-shlibdeps cannot see it.
function(visar_late_library room name file)
    get_filename_component(real ${file} REALPATH)
    get_filename_component(soname ${real} NAME)
    if(CMAKE_OBJDUMP)
        execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${real} OUTPUT_VARIABLE text ERROR_QUIET)
        if(text MATCHES "SONAME[ \t]+([^ \t\n]+)")
            set(soname ${CMAKE_MATCH_1})
        endif()
    endif()
    target_include_directories(visar_${room} SYSTEM PUBLIC ${ARGN})
    target_compile_definitions(visar_${room} PRIVATE VISAR_${name}_SONAME="${soname}" VISAR_${name}_PATH="${real}")
    find_program(DPKG_QUERY dpkg-query)
    mark_as_advanced(DPKG_QUERY)
    if(DPKG_QUERY)
        execute_process(COMMAND ${DPKG_QUERY} -S ${real} OUTPUT_VARIABLE owner ERROR_QUIET)
        if(owner MATCHES "^([a-z0-9.+-]+)[:,]")
            set_property(GLOBAL APPEND PROPERTY VISAR_LATE_PACKAGES ${CMAKE_MATCH_1})
        endif()
    endif()
endfunction()
