# Flags and the one function that every folder uses.
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()
add_compile_definitions(_GNU_SOURCE VISAR_VERSION="${PROJECT_VERSION}")
add_compile_options(-Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla
                    -Wpointer-arith -Wwrite-strings -fno-common)
if(VISAR_WERROR)
    add_compile_options(-Werror)
endif()
# Assertions stay on in every build: an internal error must never become a verdict.
set(CMAKE_C_FLAGS_RELEASE "-O3")
if(VISAR_ANALYZE)
    # gcc 12 loses track of structs that external functions return by value, so its check for
    # uninitialised values is left to -Wmaybe-uninitialized.
    add_compile_options(-fanalyzer -Wno-analyzer-use-of-uninitialized-value)
endif()
if(VISAR_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()
if(VISAR_COVERAGE)
    add_compile_options(--coverage)
    add_link_options(--coverage)
endif()

# visar_room(name [ROOMS folders…] LINK libs…): the static library visar_<name> of all sources in this
# folder and in its inner rooms.
function(visar_room name)
    cmake_parse_arguments(ROOM "" "" "ROOMS;LINK" ${ARGN})
    set(patterns *.c)
    foreach(inner ${ROOM_ROOMS})
        list(APPEND patterns ${inner}/*.c)
    endforeach()
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
    add_library(visar_${name} STATIC ${sources})
    target_include_directories(visar_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(visar_${name} PUBLIC ${ROOM_LINK})
endfunction()
