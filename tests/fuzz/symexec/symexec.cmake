# The differential fuzzer of the executor; run by run-symexec.sh.
if(TARGET visar_symexec)
    set(here ${CMAKE_CURRENT_LIST_DIR})
    add_executable(fuzz_symexec ${here}/main.c ${here}/program.c ${here}/shrink.c ${here}/generate.c
                   ${here}/gen_expr.c ${here}/gen_stmt.c ${here}/gen_exact.c ${here}/gen_fold.c ${here}/native.c
                   ${here}/run.c ${here}/compare.c)
    target_include_directories(fuzz_symexec PRIVATE ${here})
    target_compile_definitions(fuzz_symexec PRIVATE FZ_SOURCE="${here}"
                               FZ_INCLUDE="${PROJECT_SOURCE_DIR}/frontend/include")
    target_link_libraries(fuzz_symexec PRIVATE visar_symexec visar_frontend ${CMAKE_DL_LIBS})
endif()
