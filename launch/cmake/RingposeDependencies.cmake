# Every find_package of the project. Sets RINGPOSE_CUDA_ENABLED.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
set(MPI_CXX_SKIP_MPICXX TRUE)
find_package(MPI REQUIRED COMPONENTS CXX)
set(HDF5_PREFER_PARALLEL FALSE)
find_package(HDF5 REQUIRED COMPONENTS C CXX)
find_package(yaml-cpp REQUIRED)
find_package(OpenCV REQUIRED COMPONENTS core imgproc imgcodecs)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat libavcodec libswscale libavutil)
find_package(LibTorch 2.9 REQUIRED)
if(RINGPOSE_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()

# LibTorch ships fmt's headers in another version; with its folders on the include path they would be found in place of the
# system's, which are in the compiler's own folder and so come last. A folder holding nothing but fmt, named first, settles it.
find_path(RINGPOSE_FMT_INCLUDE_DIR fmt/core.h HINTS ${fmt_DIR}/../../../include PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/fmt-first)
file(CREATE_LINK ${RINGPOSE_FMT_INCLUDE_DIR}/fmt ${PROJECT_BINARY_DIR}/fmt-first/fmt SYMBOLIC)
target_include_directories(ringpose_options SYSTEM BEFORE INTERFACE ${PROJECT_BINARY_DIR}/fmt-first)

# HDF5 without its C++ flags and defines leaking everywhere.
add_library(ringpose_hdf5 INTERFACE)
target_include_directories(ringpose_hdf5 SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})
target_link_libraries(ringpose_hdf5 INTERFACE ${HDF5_CXX_LIBRARIES} ${HDF5_C_LIBRARIES})

include(RingposeCuda) # sets RINGPOSE_CUDA_ENABLED
message(STATUS "ringpose: LibTorch ${LibTorch_VERSION} in ${LibTorch_ROOT}, CUDA ${RINGPOSE_CUDA_ENABLED}")
