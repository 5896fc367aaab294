# SPDX-License-Identifier: BSD-3-Clause
# assay_folder(NAME [subfolder...])   for a target whose sources are in this folder and the named ones. Sets
#   NAME_folders   the folders: the target's include directories
#   NAME_sources   *.c and *.cc of all of them, without tests
#   NAME_tests     *_test.c of all of them
function(assay_folder name)
  set(folders "${CMAKE_CURRENT_SOURCE_DIR}" ${ARGN})
  set(patterns "")
  foreach(folder IN LISTS folders)
    cmake_path(ABSOLUTE_PATH folder)
    list(APPEND absolute "${folder}")
    list(APPEND patterns "${folder}/*.c" "${folder}/*.cc")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.c$")
  list(FILTER tests INCLUDE REGEX "_test\\.c$")
  set(${name}_folders "${absolute}" PARENT_SCOPE)
  set(${name}_sources "${sources}" PARENT_SCOPE)
  set(${name}_tests "${tests}" PARENT_SCOPE)
endfunction()
