# NCCL: header and library from one place, the first of NCCL_ROOT, the wheel beside LibTorch (so that both use the same library),
# <project>/.deps, the CUDA toolkit (RINGPOSE_CUDA_ROOT), the system. The wheels have libnccl.so.2 without the link libnccl.so.
# Result: NCCL_FOUND, NCCL_VERSION, target NCCL::nccl.
set(_nccl_roots ${NCCL_ROOT} $ENV{NCCL_ROOT} ${LibTorch_ROOT}/../nvidia/nccl ${PROJECT_SOURCE_DIR}/.deps/nvidia/nccl ${RINGPOSE_CUDA_ROOT})
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${_nccl_roots} PATH_SUFFIXES include)
if(NCCL_INCLUDE_DIR)
  file(REAL_PATH ${NCCL_INCLUDE_DIR}/nccl.h _nccl_header) # the header may be a link into a toolkit
  cmake_path(GET _nccl_header PARENT_PATH _nccl_folder)
  find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${NCCL_INCLUDE_DIR}/.. ${_nccl_folder}/.. ${_nccl_roots} PATH_SUFFIXES lib lib64)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h _nccl_lines REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
  foreach(part MAJOR MINOR PATCH)
    string(REGEX MATCH "NCCL_${part} ([0-9]+)" _nccl_match "${_nccl_lines}")
    list(APPEND _nccl_numbers ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN _nccl_numbers "." NCCL_VERSION)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
