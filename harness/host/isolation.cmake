# SPDX-License-Identifier: BSD-3-Clause
# assay_wire        messages between supervisor and host, and the end of stray processes; both link it
# assay_isolation   the host library: fork, watch, clean up, report
# assay_host        the same as a shared library, for `python -m assay_host`
add_library(assay_wire STATIC wire.c check_wire.c descendants.c)
target_include_directories(assay_wire PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(assay_wire PUBLIC hn_check PRIVATE assay_warnings)

add_library(assay_isolation STATIC arm.c bare_process.c capture.c describe.c evidence.c exec_job.c folder_size.c
  host_orders.c host_serve.c job.c job_birth.c job_process.c request.c shared_memory.c stack_dump.c)
target_link_libraries(assay_isolation PUBLIC assay_abi assay_wire PRIVATE assay_warnings)
target_include_directories(assay_isolation PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")

add_library(assay_host SHARED python_entry.c)
target_link_libraries(assay_host PRIVATE assay_warnings
  "$<LINK_LIBRARY:WHOLE_ARCHIVE,assay_isolation>")

# Checks and a host program that misbehave, for the tests of both sides.
add_executable(torture_host torture/torture_host_main.c torture/torture_checks.c
  torture/torture_evidence.c)
set_target_properties(torture_host PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
target_link_libraries(torture_host PRIVATE assay_warnings assay_isolation)

add_library(torture_checks MODULE torture/torture_checks.c
  torture/torture_evidence.c)
set_target_properties(torture_checks PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY
  "${CMAKE_BINARY_DIR}/tests")
target_link_libraries(torture_checks PRIVATE assay_warnings assay_abi)

foreach(name wire_test descendants_test)
  assay_unit_test(${name} SOURCES ${name}.c LIBRARIES assay_wire)
endforeach()
foreach(name capture_test request_test shared_memory_test)
  assay_unit_test(${name} SOURCES ${name}.c LIBRARIES assay_isolation)
endforeach()
