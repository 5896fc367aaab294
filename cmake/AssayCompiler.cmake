# SPDX-License-Identifier: BSD-3-Clause
# Warnings, sanitizers, coverage, ccache: everything that is a property of the compiler, not of a target.
#
# assay_warnings   interface target that every target of ours links; foreign headers are SYSTEM.

add_library(assay_warnings INTERFACE)
target_compile_options(assay_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>
  $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
target_compile_definitions(assay_warnings INTERFACE _GNU_SOURCE)

if(ASSAY_BUNDLE) # for other machines: no path of this one
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
  # A second checkout finds what the first has compiled; its debug information names the folder of the first.
  # The precompiled torch header needs the two sloppiness switches, or every hit is a miss.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${launcher}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${launcher}")
endif()

# Files of a target compiled `size` at a time, with ASSAY_UNITY: torch's headers are read once for all of them, which is half the
# processor's time. Which file uses what of PyTorch is not told then, and an edit costs more. Names must be unique: ci/lint.
function(assay_several_at_once target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${ASSAY_UNITY}" UNITY_BUILD_BATCH_SIZE ${size})
endfunction()
