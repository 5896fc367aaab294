# SPDX-License-Identifier: BSD-3-Clause
# assay_loading   plugins and native targets: everything of the host that opens foreign code.
add_library(assay_loading STATIC shared_library.c plugin_loader.c plugin_trial.c)
target_include_directories(assay_loading PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(assay_loading PUBLIC assay_abi ${CMAKE_DL_LIBS} PRIVATE assay_warnings)

# What needs the bridge. libassay_target.so serves the python host through ctypes and is linked by the
# native host; native_callbacks.c also needs the host library, so it belongs to that program.
if(ASSAY_WITH_TORCH)
  add_library(assay_target SHARED
    shared_library.c plugin_loader.c registration.c check_registry.c adapter.c)
  target_include_directories(assay_target PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(assay_target PUBLIC assay_bridge PRIVATE assay_warnings)

  add_library(assay_native_target STATIC native_target.c native_callbacks.c)
  target_link_libraries(assay_native_target PUBLIC assay_loading assay_target
    PRIVATE assay_warnings)

  assay_python_test(load_steps_test FILE assay_host/load_steps_test.py)
  assay_python_test(fixtures_test FILE fixtures/fixtures_test.py)
  add_executable(assay-check check_alone_main.c)
  target_link_libraries(assay-check PRIVATE assay_native_target assay_warnings)
endif()

# The zoo: one source in every broken shape. A shape's name in lower case is its file's.
set(zoo "${CMAKE_BINARY_DIR}/tests/zoo")
function(assay_zoo_plugin file source)
  add_library(${file} MODULE testplugins/${source})
  set_target_properties(${file} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${zoo}")
  target_link_libraries(${file} PRIVATE assay_warnings assay_abi)
  target_compile_definitions(${file} PRIVATE ${ARGN})
  # A shape leaves out what its sound form uses.
  target_compile_options(${file} PRIVATE -Wno-unused-function -Wno-unused-variable
    -Wno-unused-const-variable)
  add_dependencies(plugin_loader_test ${file})
endfunction()

assay_unit_test(plugin_loader_test SOURCES plugin_loader_test.c LIBRARIES assay_loading)
target_compile_definitions(plugin_loader_test PRIVATE ZOO="${zoo}")
foreach(shape sound no_symbol wrong_major refuses_silently minor_too_high short_struct empty_struct
    null_name null_init null_deinit null_get_factory init_fails init_fails_silently init_hangs
    init_crashes init_aborts init_exits init_exits_cleanly init_forks deinit_crashes entry_crashes
    constructor_crashes no_factory factory_without_rows row_without_id row_without_function
    other_torch)
  string(TOUPPER ${shape} definition)
  assay_zoo_plugin(zoo_${shape} broken_plugin.c SHAPE_${definition})
endforeach()
assay_zoo_plugin(zoo_throws throwing_plugin.cpp)
assay_zoo_plugin(target_plugin target_plugin.c)
