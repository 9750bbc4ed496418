#include "analysis/frame_converter.hpp"

#include <algorithm>
#include <utility>

#include "data/error.hpp"

namespace ringpose::analysis {
namespace {

constexpr int kRgbBytes = 3;

/// swscale's name for the deprecated full-range formats is the plain format plus a range flag.
AVPixelFormat plain_format(int format, bool& full_range) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      full_range = true;
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
      full_range = true;
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P:
      full_range = true;
      return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P:
      full_range = true;
      return AV_PIX_FMT_YUV440P;
    default:
      return static_cast<AVPixelFormat>(format);
  }
}

void copy_pixel(const std::uint8_t* from, std::uint8_t* to) {
  for (int channel = 0; channel < kRgbBytes; ++channel) to[channel] = from[channel];
}

/// Clockwise turn of an RGB image by 90, 180 or 270 degrees.
void rotate(const data::Image& from, int degrees, data::Image& to) {
  const int height = from.height_px, width = from.width_px;
  const bool sideways = degrees != 180;
  to.height_px = sideways ? width : height;
  to.width_px = sideways ? height : width;
  to.channels = kRgbBytes;
  to.pixels_HWC.resize(from.pixels_HWC.size());
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int row = degrees == 90 ? x : degrees == 180 ? height - 1 - y : width - 1 - x;
      const int column = degrees == 90 ? height - 1 - y : degrees == 180 ? width - 1 - x : y;
      copy_pixel(&from.pixels_HWC[std::size_t{kRgbBytes} * (std::size_t(y) * width + x)],
                 &to.pixels_HWC[std::size_t{kRgbBytes} * (std::size_t(row) * to.width_px + column)]);
    }
  }
}

}  // namespace

void FrameConverter::prepare(const AVFrame& picture) {
  const int colorspace = picture.colorspace, range = picture.color_range;
  if (scaler_ && picture.width == width_ && picture.height == height_ && picture.format == format_ &&
      colorspace == colorspace_ && range == range_)
    return;
  bool full_range = range == AVCOL_RANGE_JPEG;
  const AVPixelFormat format = plain_format(picture.format, full_range);
  scaler_.reset(sws_getContext(picture.width, picture.height, format, picture.width, picture.height, AV_PIX_FMT_RGB24,
                               SWS_BICUBIC, nullptr, nullptr, nullptr));
  if (!scaler_) {
    const char* name = av_get_pix_fmt_name(format);
    throw data::FormatError(std::string("cannot convert pictures of the pixel format ") + (name ? name : "?") +
                            " to RGB");
  }
  const int* matrix = sws_getCoefficients(colorspace == AVCOL_SPC_UNSPECIFIED ? SWS_CS_DEFAULT : colorspace);
  sws_setColorspaceDetails(scaler_.get(), matrix, full_range ? 1 : 0, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0,
                           1 << 16, 1 << 16);
  width_ = picture.width;
  height_ = picture.height;
  format_ = picture.format;
  colorspace_ = colorspace;
  range_ = range;
}

void FrameConverter::convert(const AVFrame& picture, data::Image& image) {
  prepare(picture);
  data::Image& target = rotation_degrees_ == 0 ? image : upright_;
  target.height_px = picture.height;
  target.width_px = picture.width;
  target.channels = kRgbBytes;
  target.pixels_HWC.resize(std::size_t{kRgbBytes} * picture.width * picture.height);
  // swscale's vector code writes whole vectors, past the end of a row whose width is no multiple of 16: rows with room
  // behind them, then copied.
  const std::size_t row_bytes = std::size_t{kRgbBytes} * picture.width;
  const std::size_t stride_bytes = libav::padded_row_bytes(row_bytes);
  padded_.resize(stride_bytes * picture.height);
  std::uint8_t* rows[] = {padded_.data()};
  const int stride[] = {static_cast<int>(stride_bytes)};
  sws_scale(scaler_.get(), picture.data, picture.linesize, 0, picture.height, rows, stride);
  for (int y = 0; y < picture.height; ++y)
    std::copy_n(padded_.data() + y * stride_bytes, row_bytes, target.pixels_HWC.data() + y * row_bytes);
  if (rotation_degrees_ != 0) rotate(upright_, rotation_degrees_, image);
}

}  // namespace ringpose::analysis
