# SPDX-License-Identifier: BSD-3-Clause
# assay_unit_test(NAME SOURCES file... LIBRARIES target...)   one Check program, one ctest entry.
# assay_python_test(NAME FILE path [ENVIRONMENT var=value...] [PATHS folder...] [COST seconds]) one unittest file, one ctest entry;
#   PATHS: folders (absolute or in the tree) whose modules are imported without a package. COST: a test that takes minutes starts first.

find_package(PkgConfig REQUIRED)
if(ASSAY_TESTS)
  pkg_check_modules(CHECK REQUIRED IMPORTED_TARGET check)
  add_library(assay_unit_test_main STATIC "${CMAKE_CURRENT_LIST_DIR}/unit_test.c")
  target_include_directories(assay_unit_test_main PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
  target_link_libraries(assay_unit_test_main PUBLIC PkgConfig::CHECK PRIVATE assay_warnings)
endif()

function(assay_unit_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  if(NOT ASSAY_TESTS) # other targets may name this target, although it is not built
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  target_link_libraries(${name} PRIVATE assay_warnings assay_unit_test_main ${arg_LIBRARIES})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300) # long, because it only ends tests that hang
endfunction()

function(assay_python_test name)
  cmake_parse_arguments(arg "" "FILE;COST" "ENVIRONMENT;PATHS" ${ARGN})
  cmake_path(ABSOLUTE_PATH arg_FILE)
  set(more "")
  foreach(folder ${arg_PATHS})
    cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_SOURCE_DIR}")
    string(APPEND more ":${folder}")
  endforeach()
  add_test(NAME ${name} COMMAND "${ASSAY_PYTHON}" "${arg_FILE}" -v)
  set_tests_properties(${name} PROPERTIES TIMEOUT 1500 ENVIRONMENT
    "PYTHONPATH=${CMAKE_BINARY_DIR}/python:${CMAKE_SOURCE_DIR}/harness/python:${CMAKE_SOURCE_DIR}${more};ASSAY_BUILD=${CMAKE_BINARY_DIR};${arg_ENVIRONMENT}")
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
endfunction()

# For tests that cannot run under a sanitizer, because they crash on purpose or load instrumented
# libraries into an uninstrumented Python. ci/full leaves them out of its sanitizer builds.
function(assay_without_sanitizers)
  if(NOT ASSAY_TESTS)
    return()
  endif()
  set_tests_properties(${ARGN} PROPERTIES LABELS no-sanitizer)
endfunction()

# Adds a label to the tests that the calling folder has defined so far.
function(assay_label_tests label)
  get_property(names DIRECTORY PROPERTY TESTS)
  foreach(name ${names})
    set_property(TEST ${name} APPEND PROPERTY LABELS ${label})
  endforeach()
endfunction()
