# SPDX-License-Identifier: BSD-3-Clause
# The only list of the files that `cmake --install` and the wheel contain. Everything is
# relocatable: programs find their files relative to their own path. No file is compiled against
# torch. The bridge and the fake device's integration are installed as sources and compiled at first
# use for the user's torch.
#
# assay_installed    target: builds exactly what is installed
# assay_quickstart   target: the same, and the bridge and fake device for the torch of ASSAY_PYTHON
set(programs assay assay-host-native fakedev_tool)
set(libraries assay_host assay_target assay_native fakedev fakedev_adapter)
set(share share/assay)

set(made "${CMAKE_BINARY_DIR}/share")
add_custom_command(OUTPUT "${made}/man/man1/assay.1" "${made}/completions/assay"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${made}/man/man1" "${made}/completions"
  COMMAND assay manual > "${made}/man/man1/assay.1"
  COMMAND assay completion > "${made}/completions/assay"
  DEPENDS assay COMMENT "Writing the man page and the completion")
add_custom_target(assay_manual ALL
  DEPENDS "${made}/man/man1/assay.1" "${made}/completions/assay")
add_custom_target(assay_installed
  DEPENDS ${programs} ${libraries} ${ASSAY_SUITES} assay_manual assay_faults)

if(ASSAY_WITH_TORCH)
  add_custom_target(assay_quickstart
    DEPENDS assay_installed assay_bridge torch_fakedev_package)
endif()

if(ASSAY_BUNDLE)
  # DT_RPATH instead of DT_RUNPATH, because it also applies to dependencies of the bundled libraries, which are in the
  # same folder.
  set_target_properties(assay PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/assay/foreign")
  target_link_options(assay PRIVATE LINKER:--disable-new-dtags)
endif()
set_target_properties(fakedev_tool PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/assay")
install(TARGETS ${programs} RUNTIME_DEPENDENCY_SET assay_needs DESTINATION bin)
install(TARGETS ${libraries} DESTINATION lib/assay)
install(TARGETS ${ASSAY_SUITES} DESTINATION lib/assay/suites)
if(ASSAY_BUNDLE)
  install(RUNTIME_DEPENDENCY_SET assay_needs DESTINATION lib/assay/foreign
    PRE_EXCLUDE_REGEXES "^libfakedev" "^libassay"
      "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so" "^ld-linux")
  install(SCRIPT "${CMAKE_CURRENT_LIST_DIR}/bundled_licenses.cmake")
endif()

install(FILES "${made}/man/man1/assay.1" DESTINATION share/man/man1)
install(FILES "${made}/completions/assay" DESTINATION share/bash-completion/completions)
install(FILES "${made}/assay/faults.tsv" "${made}/assay/variants.tsv" DESTINATION ${share})
install(FILES conformance.yaml DESTINATION ${share})
install(DIRECTORY reports/schema DESTINATION ${share})
install(DIRECTORY suites DESTINATION ${share}
  FILES_MATCHING PATTERN "*.yaml" PATTERN "*.py" PATTERN "check_*.c" PATTERN "stable_library.cc" PATTERN "*.md"
  PATTERN "used_operators.tsv" PATTERN "anchors.tsv" PATTERN "homes.tsv" PATTERN "uncompared.tsv"
  PATTERN "not_compared.tsv" PATTERN "no_reference.tsv" PATTERN "absences.tsv"
  PATTERN "__pycache__" EXCLUDE)
# The device with faults exists in builds and is not installed.
install(DIRECTORY ci/targets DESTINATION ${share}/ci PATTERN "fakedev_faulty.yaml" EXCLUDE)
install(DIRECTORY ci/uses DESTINATION ${share}/ci FILES_MATCHING PATTERN "*.json")
# The package assay. HN_DATA_PYTHON (harness/session/data.h) finds it.
install(DIRECTORY harness/python/assay DESTINATION ${share}/harness/python
  FILES_MATCHING PATTERN "*.py" PATTERN "*.tsv" PATTERN "*.txt" PATTERN "*.html" PATTERN "*.css" PATTERN "*.js"
  PATTERN "__pycache__" EXCLUDE)
install(FILES reports/render/page/report.css DESTINATION ${share}/reports/render/page)
install(DIRECTORY ci/clients DESTINATION ${share}/ci)
# libclang is larger than all other files together. A bundle leaves it out and can only compare
# dumps that were made elsewhere.
if(TARGET assay-facts AND NOT ASSAY_BUNDLE)
  add_dependencies(assay_installed assay-facts assay-uses-facts)
  install(TARGETS assay-facts assay-uses-facts DESTINATION bin)
endif()

# The scaffold that `assay new` copies, and the programs of the guide.
install(FILES guide/new_backend.py guide/next_step.py guide/show_guide.py guide/guide_steps.py guide/steps.ini DESTINATION ${share}/guide)
install(DIRECTORY guide/scaffold DESTINATION ${share}/guide PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY guide/troubleshooting guide/pages DESTINATION ${share}/guide
  FILES_MATCHING PATTERN "explain_error.py" PATTERN "errors_*.ini" PATTERN "*.md" PATTERN "__pycache__" EXCLUDE)

# The sources that are compiled on the user's machine, in the same folders as here.
install(DIRECTORY harness/include/assay DESTINATION ${share}/harness/include)
install(DIRECTORY harness/bridge DESTINATION ${share}/harness
  FILES_MATCHING PATTERN "*.cc" PATTERN "*.h" PATTERN "README.md")
install(DIRECTORY fake_device/integration DESTINATION ${share}/fake_device
  FILES_MATCHING PATTERN "*.cc" PATTERN "*.h" PATTERN "tests" EXCLUDE)
install(DIRECTORY fake_device/driver/include DESTINATION ${share}/fake_device/driver)
install(DIRECTORY fake_device/torch_fakedev DESTINATION ${share}/fake_device
  PATTERN "__pycache__" EXCLUDE)

# For vendors: the headers for an adapter or native checks, in the standard include folder.
install(DIRECTORY harness/include/assay DESTINATION include)
install(FILES LICENSE DESTINATION ${share})
