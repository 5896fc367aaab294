# SPDX-License-Identifier: BSD-3-Clause
# Settings of the compiler that are the same for every target: warnings, sanitizers, coverage,
# ccache.
#
# assay_warnings   interface target that every target of this project links; third-party headers are
# SYSTEM.

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
target_compile_definitions(assay_warnings INTERFACE _GNU_SOURCE)

if(ASSAY_BUNDLE) # a bundle is for other machines, so it contains no path of this machine
  add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
endif()
if(ASSAY_ASAN)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(ASSAY_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ASSAY_TSAN)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
if(ASSAY_COVERAGE)
  add_compile_options(--coverage -O0 -fprofile-update=atomic)
  add_link_options(--coverage)
  add_compile_definitions(ASSAY_COVERAGE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # A second checkout may reuse objects of the first one; their debug information names the folder of the first. With
  # the precompiled torch header, ccache finds objects only with the two sloppiness settings.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
endif()

# With ASSAY_UNITY, `size` files of a target are compiled as one, so that torch's headers are parsed once for all of
# them. This halves the processor time of a new build, but an edit recompiles more files. ci/lint verifies that names
# are unique.
function(assay_several_at_once target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${ASSAY_UNITY}" UNITY_BUILD_BATCH_SIZE ${size})
endfunction()
