# LibTorch as the PyPI wheel ships it, without the CUDA toolkit that torch's own CMake files ask for.
# Looks in LIBTORCH_ROOT, CMAKE_PREFIX_PATH, <project>/.deps, then `python3 -c "import torch"`.
# Result: LibTorch_FOUND, LibTorch_VERSION, LibTorch_ROOT, LibTorch_CUDA_VERSION (empty for a CPU-only LibTorch),
# targets LibTorch::cpu and, where libtorch_cuda is present, LibTorch::cuda.
set(_torch_hints ${LIBTORCH_ROOT} $ENV{LIBTORCH_ROOT})
foreach(prefix ${CMAKE_PREFIX_PATH})
  list(APPEND _torch_hints ${prefix} ${prefix}/torch ${prefix}/../..)
endforeach()
list(APPEND _torch_hints ${PROJECT_SOURCE_DIR}/.deps/torch)
find_path(LibTorch_ROOT NAMES include/torch/csrc/api/include/torch/torch.h PATHS ${_torch_hints} NO_DEFAULT_PATH)
if(NOT LibTorch_ROOT)
  execute_process(COMMAND python3 -c "import torch, os; print(os.path.dirname(torch.__file__))"
    OUTPUT_VARIABLE _torch_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  find_path(LibTorch_ROOT NAMES include/torch/csrc/api/include/torch/torch.h PATHS ${_torch_python} NO_DEFAULT_PATH)
endif()
if(LibTorch_ROOT)
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    if(EXISTS ${LibTorch_ROOT}/include/${header})
      file(STRINGS ${LibTorch_ROOT}/include/${header} _torch_lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      foreach(part MAJOR MINOR PATCH)
        if("${_torch_lines}" MATCHES "TORCH_VERSION_${part} ([0-9]+)")
          set(_torch_${part} ${CMAKE_MATCH_1})
        endif()
      endforeach()
      if(DEFINED _torch_MAJOR)
        set(LibTorch_VERSION ${_torch_MAJOR}.${_torch_MINOR}.${_torch_PATCH})
      endif()
    endif()
  endforeach()
  find_library(LibTorch_C10 c10 PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
  find_library(LibTorch_CPU torch_cpu PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
  find_library(LibTorch_C10_CUDA c10_cuda PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
  find_library(LibTorch_CUDA torch_cuda PATHS ${LibTorch_ROOT}/lib NO_DEFAULT_PATH)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LibTorch_ROOT LibTorch_C10 LibTorch_CPU VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "Run launch/setup.sh, or name an existing LibTorch 2.9 or newer with -DLIBTORCH_ROOT=DIR (the folder that holds include/ and lib/).")
if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
  add_library(LibTorch::cpu INTERFACE IMPORTED)
  set_target_properties(LibTorch::cpu PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_ROOT}/include;${LibTorch_ROOT}/include/torch/csrc/api/include"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${LibTorch_ROOT}/include;${LibTorch_ROOT}/include/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "${LibTorch_CPU};${LibTorch_C10}"
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
  if(LibTorch_CUDA AND LibTorch_C10_CUDA)
    add_library(LibTorch::cuda INTERFACE IMPORTED)
    # Kernels register themselves when the library is loaded, so it must stay linked although no symbol asks for it.
    set_target_properties(LibTorch::cuda PROPERTIES
      INTERFACE_LINK_LIBRARIES "LibTorch::cpu;${LibTorch_C10_CUDA}"
      INTERFACE_LINK_OPTIONS "LINKER:--no-as-needed,${LibTorch_CUDA},--as-needed")
  endif()
endif()
