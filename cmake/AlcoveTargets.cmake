# Helpers that every room uses, so that flags stand in one place.

# alcove_target_defaults(TARGET): warnings as errors and sanitizers, for code of our own.
# Warnings are PRIVATE: generated code of other libraries does not pass them.
function(alcove_target_defaults target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                           -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # GCC 12 reports false positives from inlined library code under -O2 for this one.
        target_compile_options(${target} PRIVATE -Wno-null-dereference)
    endif()
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    if(ALCOVE_SANITIZE)
        target_compile_options(${target} PUBLIC -fsanitize=${ALCOVE_SANITIZE} -fno-omit-frame-pointer)
        target_link_options(${target} PUBLIC -fsanitize=${ALCOVE_SANITIZE})
        if(ALCOVE_SANITIZE MATCHES "undefined")
            target_compile_options(${target} PUBLIC -fno-sanitize-recover=undefined)
        endif()
    endif()
endfunction()

# alcove_add_kernels(TARGET ISA <name> FLAGS <flags...> SOURCES <files...>)
# Compiles the files of one instruction set with its flags and defines ALCOVE_ISA_<NAME> for the whole target, which is
# what the kernel tables test. Nothing where the processor family is another one.
function(alcove_add_kernels target)
    cmake_parse_arguments(arg "" "ISA" "FLAGS;SOURCES" ${ARGN})
    string(TOUPPER ${arg_ISA} isa)
    target_sources(${target} PRIVATE ${arg_SOURCES})
    set_property(SOURCE ${arg_SOURCES} TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS ${arg_FLAGS})
    target_compile_definitions(${target} PUBLIC ALCOVE_ISA_${isa}=1)
endfunction()

# alcove_add_test(NAME SOURCES ... LIBS ... LABELS ... [QT] [ENVIRONMENT ...])
# One test program; GoogleTest for the engine, Qt Test with QT. Finds tests/data by ALCOVE_TEST_DATA and the shared
# fixtures by ALCOVE_SHARED (environment over this default); tests say so when those are absent.
function(alcove_add_test name)
    cmake_parse_arguments(arg "QT" "TIMEOUT" "SOURCES;LIBS;LABELS;ENVIRONMENT" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    alcove_target_defaults(${name})
    target_link_libraries(${name} PRIVATE ${arg_LIBS})
    target_compile_definitions(${name} PRIVATE ALCOVE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
                               ALCOVE_SHARED_DEFAULT="${PROJECT_SOURCE_DIR}/../shared")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 600)
    endif()
    if(arg_QT)
        set_target_properties(${name} PROPERTIES AUTOMOC ON)
        target_link_libraries(${name} PRIVATE Qt6::Test)
        list(APPEND arg_ENVIRONMENT QT_QPA_PLATFORM=offscreen QT_QUICK_BACKEND=software)
    else()
        target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
    endif()
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
endfunction()
