# libclang, 17 or later (operator kinds): target LibClang::LibClang.  Debian keeps each version in
# a folder of its own, so look there, newest first.
set(LIBCLANG_HINTS)
foreach(version RANGE 30 17 -1)
    list(APPEND LIBCLANG_HINTS /usr/lib/llvm-${version} /usr/local/lib/llvm-${version})
endforeach()
find_path(LibClang_INCLUDE_DIR clang-c/Index.h HINTS ${LIBCLANG_HINTS} PATH_SUFFIXES include)
find_library(LibClang_LIBRARY NAMES clang libclang HINTS ${LIBCLANG_HINTS} PATH_SUFFIXES lib)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibClang REQUIRED_VARS LibClang_LIBRARY LibClang_INCLUDE_DIR)
if(LibClang_FOUND)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES ${LibClang_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${LibClang_LIBRARY})
    check_c_source_compiles("#include <clang-c/Index.h>
        int main(void) { CXCursor c = clang_getNullCursor();
        return (int)clang_getCursorBinaryOperatorKind(c); }" LIBCLANG_HAS_OPERATOR_KINDS)
    if(NOT LIBCLANG_HAS_OPERATOR_KINDS)
        message(FATAL_ERROR "libclang in ${LibClang_LIBRARY} is too old: 17 or later is needed")
    endif()
    if(NOT TARGET LibClang::LibClang)
        add_library(LibClang::LibClang UNKNOWN IMPORTED)
        set_target_properties(LibClang::LibClang PROPERTIES IMPORTED_LOCATION ${LibClang_LIBRARY}
                              INTERFACE_INCLUDE_DIRECTORIES ${LibClang_INCLUDE_DIR})
    endif()
endif()
