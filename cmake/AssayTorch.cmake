# SPDX-License-Identifier: BSD-3-Clause
# assay_torch   interface target: headers and libraries of the torch that ASSAY_PYTHON imports.
# TorchConfig.cmake is not used: it includes Caffe2's own search for CUDA, MKL and protobuf.

execute_process(
  COMMAND "${ASSAY_PYTHON}" -c
    "import importlib.util as u, os; print(os.path.dirname(u.find_spec('torch').origin))"
  OUTPUT_VARIABLE ASSAY_TORCH_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE torch_missing)
if(torch_missing)
  message(FATAL_ERROR "${ASSAY_PYTHON} cannot find torch. Run ci/setup, or pass -DASSAY_PYTHON=.")
endif()

add_library(assay_torch INTERFACE)
target_include_directories(assay_torch SYSTEM INTERFACE
  "${ASSAY_TORCH_ROOT}/include" "${ASSAY_TORCH_ROOT}/include/torch/csrc/api/include")
target_link_directories(assay_torch INTERFACE "${ASSAY_TORCH_ROOT}/lib")
target_link_libraries(assay_torch INTERFACE c10 torch_cpu)
# PyTorch's headers for registering stubs use these two macros to lay out their tables.
target_compile_definitions(assay_torch INTERFACE HAVE_AVX2_CPU_DEFINITION HAVE_AVX512_CPU_DEFINITION)
# The libraries have no run path, because torch is always loaded before them.
target_link_options(assay_torch INTERFACE "LINKER:-rpath,${ASSAY_TORCH_ROOT}/lib")

# Records the torch of this build's bridge; assay/builds/torch_builds.py reads the record.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env
    "PYTHONPATH=${CMAKE_SOURCE_DIR}/harness/python" PYTHONDONTWRITEBYTECODE=1 "${ASSAY_PYTHON}" -c
    "from assay.builds import torch_builds; torch = torch_builds.find_torch(); print(torch.version, torch.git)"
  OUTPUT_VARIABLE torch_of_bridge COMMAND_ERROR_IS_FATAL ANY)
file(WRITE "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/assay_bridge.torch" "${torch_of_bridge}")
