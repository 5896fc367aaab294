# SPDX-License-Identifier: BSD-3-Clause
# assay_loading   plugins and native targets: the code of the host that loads third-party libraries.
add_library(assay_loading STATIC target/shared_library.c target/plugin_loader.c)
target_include_directories(assay_loading PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" target)
target_link_libraries(assay_loading PUBLIC assay_abi ${CMAKE_DL_LIBS} PRIVATE assay_warnings)

# In a build with torch, users of the bridge link it, so that the linker reports a missing function.
# An installation loads the bridge for the target's torch before these libraries, which then use its
# symbols.
set(bridge assay_bridge_api)
if(ASSAY_WITH_TORCH)
  set(bridge assay_bridge)
endif()

# libassay_target.so serves the Python host through ctypes.
add_library(assay_target SHARED
  target/shared_library.c target/plugin_loader.c target/registration.c target/check_registry.c target/adapter.c
  target/process_idle.c target/stream_hold.c target/means.c target/process_state.c)
target_include_directories(assay_target PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" target)
target_link_libraries(assay_target PUBLIC ${bridge} PRIVATE hn_words assay_warnings ${CMAKE_DL_LIBS})

# libassay_native.so: the native host program. native/native_launcher.c loads the bridge and starts
# it.
add_library(assay_native SHARED native/native_target.c native/native_callbacks.c native/host_native_main.c)
target_link_libraries(assay_native PRIVATE assay_loading assay_target assay_isolation assay_warnings)
set_target_properties(assay_target assay_native PROPERTIES
  BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")

add_executable(assay-host-native native/native_launcher.c)
target_link_libraries(assay-host-native PRIVATE assay_loading assay_warnings)
add_dependencies(assay-host-native assay_native)

if(ASSAY_WITH_TORCH)
  assay_python_test(fixtures_test FILE fixtures/fixtures_test.py)
  assay_python_test(fixtures_run_test FILE fixtures/fixtures_run_test.py COST 70)
  # The backend is linked for its registrations. No symbol of it is used.
  foreach(wants nothing python)
    add_library(bare_${wants} MODULE fixtures/libraries/bare_backend.c)
    set_target_properties(bare_${wants} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY
      "${CMAKE_BINARY_DIR}/tests/fixtures")
    target_link_options(bare_${wants} PRIVATE LINKER:--no-as-needed)
    target_link_libraries(bare_${wants} PRIVATE assay_warnings torch_fakedev)
  endforeach()
  target_compile_definitions(bare_python PRIVATE WANTS_PYTHON)
endif()

# Broken targets for tests, all built from one source. The file name is the name of the defect in
# lower case.
set(zoo "${CMAKE_BINARY_DIR}/tests/zoo")
function(assay_zoo_plugin file source)
  add_library(${file} MODULE testplugins/${source})
  set_target_properties(${file} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${zoo}")
  target_link_libraries(${file} PRIVATE assay_warnings assay_abi)
  target_compile_definitions(${file} PRIVATE ${ARGN})
  add_dependencies(plugin_loader_test ${file})
endfunction()

assay_unit_test(plugin_loader_test SOURCES target/plugin_loader_test.c LIBRARIES assay_loading)
assay_without_sanitizers(plugin_loader_test)
target_compile_definitions(plugin_loader_test PRIVATE ZOO="${zoo}")
foreach(shape sound no_symbol wrong_major refuses_silently minor_too_high short_struct empty_struct
    null_name null_init null_deinit null_get_factory init_fails init_fails_silently
    no_factory factory_without_rows row_without_id row_without_function other_torch)
  string(TOUPPER ${shape} definition)
  assay_zoo_plugin(zoo_${shape} broken_plugin.c SHAPE_${definition})
endforeach()
assay_zoo_plugin(target_plugin target_plugin.c)
