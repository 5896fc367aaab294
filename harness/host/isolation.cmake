# SPDX-License-Identifier: BSD-3-Clause
# assay_wire        messages between supervisor and host, and the end of stray processes; both link it
# assay_isolation   the host library: fork, watch, clean up, report
# assay_host        the same as a shared library, for `python -m assay.host`
add_library(assay_wire STATIC wire/wire.c wire/check_wire.c job/descendants.c)
target_include_directories(assay_wire PUBLIC wire job)
target_link_libraries(assay_wire PUBLIC hn_check PRIVATE assay_warnings)

add_library(assay_isolation STATIC host_orders.c host_serve.c wire/request.c
  job/arm.c job/bare_process.c job/capture.c job/describe.c job/evidence.c job/exec_job.c job/folder_size.c
  job/job.c job/job_birth.c job/job_process.c job/shared_memory.c job/stack_dump.c)
target_link_libraries(assay_isolation PUBLIC assay_abi assay_wire PRIVATE assay_warnings)
target_include_directories(assay_isolation PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" target)

add_library(assay_host SHARED python_entry.c)
target_link_libraries(assay_host PRIVATE assay_warnings
  "$<LINK_LIBRARY:WHOLE_ARCHIVE,assay_isolation>")

# Checks and a host program that misbehave deliberately, for tests of the supervisor and the host.
add_executable(torture_host torture/torture_host_main.c torture/torture_checks.c
  torture/torture_evidence.c)
set_target_properties(torture_host PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
target_link_libraries(torture_host PRIVATE assay_warnings assay_isolation)

add_library(torture_checks MODULE torture/torture_checks.c
  torture/torture_evidence.c)
set_target_properties(torture_checks PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY
  "${CMAKE_BINARY_DIR}/tests")
target_link_libraries(torture_checks PRIVATE assay_warnings assay_abi)

assay_unit_test(wire_test SOURCES wire/wire_test.c LIBRARIES assay_wire)
assay_unit_test(descendants_test SOURCES job/descendants_test.c LIBRARIES assay_wire)
assay_unit_test(capture_test SOURCES job/capture_test.c LIBRARIES assay_isolation)
assay_unit_test(request_test SOURCES wire/request_test.c LIBRARIES assay_isolation)
assay_unit_test(shared_memory_test SOURCES job/shared_memory_test.c LIBRARIES assay_isolation)
