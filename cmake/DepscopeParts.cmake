# One target per part. A part sees only the headers of what it links: each has an include directory of its own, so that an
# include against the direction of the flow (DESIGN §1) does not compile.

add_library(depscope_options INTERFACE)
target_compile_features(depscope_options INTERFACE cxx_std_20)
target_compile_options(depscope_options INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${DEPSCOPE_WERROR}>:-Werror>)
# g++ 12 reports -Wrestrict inside std::string's own operator+ (GCC bug 105651); clang checks our own code for the same fault.
target_compile_options(depscope_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(DEPSCOPE_SANITIZE)
  target_compile_options(depscope_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(depscope_options INTERFACE -fsanitize=address,undefined)
endif()

# depscope_part(NAME SOURCES a.cpp … [LINK other parts and public libraries] [PRIVATE libraries no header shows])
function(depscope_part name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;PRIVATE" ${ARGN})
  add_library(depscope_${name} STATIC ${arg_SOURCES})
  target_include_directories(depscope_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(depscope_${name} PUBLIC ${arg_LINK} PRIVATE depscope_options ${arg_PRIVATE})
  target_compile_features(depscope_${name} PUBLIC cxx_std_20)
endfunction()

# depscope_test(NAME SOURCES a_test.cpp … LINK libraries): one GoogleTest program per part.
function(depscope_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${arg_LINK} GTest::gmock GTest::gtest_main depscope_options)
  target_compile_definitions(test_${name} PRIVATE
    DEPSCOPE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data"
    DEPSCOPE_SAMPLES="${PROJECT_SOURCE_DIR}/samples"
    DEPSCOPE_SHARED="${PROJECT_SOURCE_DIR}/../shared")
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}/ DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()

# depscope_bench(NAME SOURCES a_bench.cpp … LINK libraries): one Google Benchmark program per topic.
function(depscope_bench name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_executable(bench_${name} ${arg_SOURCES})
  target_link_libraries(bench_${name} PRIVATE ${arg_LINK} benchmark::benchmark_main depscope_options depscope_large_blocks)
  target_compile_definitions(bench_${name} PRIVATE DEPSCOPE_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" DEPSCOPE_SAMPLES="${PROJECT_SOURCE_DIR}/samples")
endfunction()
