# LibTorch without the CUDA toolkit that torch's own CMake files ask for: as the PyPI wheel or a LibTorch archive ships it.
# Looks in LIBTORCH_ROOT, CMAKE_PREFIX_PATH (a LibTorch, a prefix that holds torch/, or torch.utils.cmake_prefix_path),
# <project>/.deps, then the torch package of python3, which is found without importing it.
# Result: LibTorch_FOUND, LibTorch_VERSION, LibTorch_ROOT, LibTorch_CUDA_MAJOR (empty for a LibTorch without CUDA),
# targets LibTorch::cpu and, where libtorch_cuda is present, LibTorch::cuda.
set(_torch_hints ${LIBTORCH_ROOT} $ENV{LIBTORCH_ROOT})
string(REPLACE ":" ";" _torch_prefixes "$ENV{CMAKE_PREFIX_PATH}")
foreach(prefix ${CMAKE_PREFIX_PATH} ${_torch_prefixes})
  list(APPEND _torch_hints ${prefix} ${prefix}/torch ${prefix}/../..)
endforeach()
list(APPEND _torch_hints ${PROJECT_SOURCE_DIR}/.deps/torch)
set(_torch_header include/torch/csrc/api/include/torch/torch.h)
if(LibTorch_ROOT AND NOT EXISTS ${LibTorch_ROOT}/${_torch_header})
  foreach(entry ROOT C10 CPU C10_CUDA CUDA) # what an earlier run found is gone
    unset(LibTorch_${entry} CACHE)
  endforeach()
endif()
find_path(LibTorch_ROOT NAMES ${_torch_header} PATHS ${_torch_hints} NO_DEFAULT_PATH)
if(NOT LibTorch_ROOT)
  execute_process(COMMAND python3 -c "import importlib.util, os; print(os.path.dirname(importlib.util.find_spec('torch').origin))"
    OUTPUT_VARIABLE _torch_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(LibTorch_ROOT NAMES ${_torch_header} PATHS ${_torch_python} NO_DEFAULT_PATH)
endif()

if(LibTorch_ROOT)
  cmake_path(NORMAL_PATH LibTorch_ROOT) # cmake_prefix_path gives DIR/share/cmake/../..
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(NOT LibTorch_VERSION AND EXISTS ${LibTorch_ROOT}/include/${header})
      file(STRINGS ${LibTorch_ROOT}/include/${header} _torch_lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]")
      list(TRANSFORM _torch_lines REPLACE ".* ([0-9]+).*" "\\1")
      list(JOIN _torch_lines "." LibTorch_VERSION)
    endif()
  endforeach()
  foreach(entry "C10 c10" "CPU torch_cpu" "C10_CUDA c10_cuda" "CUDA torch_cuda")
    separate_arguments(entry)
    list(GET entry 0 _torch_variable)
    list(GET entry 1 _torch_name)
    find_library(LibTorch_${_torch_variable} ${_torch_name} PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
  endforeach()
  if(LibTorch_C10_CUDA)
    file(STRINGS ${LibTorch_C10_CUDA} _torch_lines REGEX "libcudart[-0-9a-f]*[.]so[.][0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "libcudart[-0-9a-f]*[.]so[.]([0-9]+)" _torch_match "${_torch_lines}")
    set(LibTorch_CUDA_MAJOR ${CMAKE_MATCH_1})
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_ROOT LibTorch_C10 LibTorch_CPU VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "Run launch/setup.sh, or name an existing LibTorch 2.9 or newer with -DLIBTORCH_ROOT=DIR (the folder that holds include/ and lib/).")
mark_as_advanced(LibTorch_ROOT LibTorch_C10 LibTorch_CPU LibTorch_C10_CUDA LibTorch_CUDA)

# A wheel's libraries find NVIDIA's wheels beside it by their own RPATH; the linker need not look for them.
if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_ROOT}/include;${LibTorch_ROOT}/include/torch/csrc/api/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${LibTorch_ROOT}/include;${LibTorch_ROOT}/include/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "${LibTorch_CPU};${LibTorch_C10}"
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
  if(LibTorch_CUDA AND LibTorch_C10_CUDA)
    # Headers that the toolkit lacks (cuBLAS beside a toolkit of nvcc alone) come from the wheels, after all other folders.
    file(GLOB _torch_wheel_headers ${LibTorch_ROOT}/../nvidia/*/include)
    list(TRANSFORM _torch_wheel_headers PREPEND "SHELL:-idirafter ")
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    # Kernels register themselves when the library is loaded, so it must stay linked although no symbol asks for it.
    set_target_properties(LibTorch::cuda PROPERTIES
      INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:CXX>:${_torch_wheel_headers}>"
      INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${LibTorch_C10_CUDA}"
      INTERFACE_LINK_OPTIONS "LINKER:--no-as-needed,${LibTorch_CUDA},--as-needed")
  endif()
endif()
