// Affine resampling of RGB images with bilinear interpolation.
#pragma once
#include <array>
#include <opencv2/core/mat.hpp>

namespace ringpose::data {

/// Fills `target` (CV_8UC3) with the source (CV_8UC3) seen through `matrix`, row-major 2x3, which maps source to target
/// pixels and must be invertible. Outside the source is black. Within half a grey level and a tenth of the exact
/// bilinear value, as the warpAffine of OpenCV 5; that of OpenCV 4 rounds places to 1/32 px, up to 6 grey levels off at
/// sharp edges.
void warp_bilinear(const cv::Mat& source, const std::array<double, 6>& matrix, cv::Mat& target);

}  // namespace ringpose::data
