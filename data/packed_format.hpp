// Names, numbers and versions of the packed frame file. FORMAT.md explains them; writer and reader use nothing else.
#pragma once
#include <cstdint>

namespace ringpose::data::packed_format {

inline constexpr char kFormat[] = "ringpose packed frames";
inline constexpr std::int64_t kMajorVersion = 1;  ///< another major version is refused
inline constexpr std::int64_t kMinorVersion = 0;  ///< a newer minor version only adds what older readers may ignore
inline constexpr std::uint64_t kBlobAlignmentBytes = 4096;
inline constexpr std::uint64_t kSampleAlignmentBytes = 64;

/// Attributes of the root group.
inline constexpr char kAttributeFormat[] = "format";
inline constexpr char kAttributeVersion[] = "format_version";
inline constexpr char kAttributeSamples[] = "n_samples";
inline constexpr char kAttributeKeypoints[] = "n_keypoints";
inline constexpr char kAttributeIndividuals[] = "n_individuals";
inline constexpr char kAttributeChannelOrder[] = "channel_order";
inline constexpr char kAttributeCodec[] = "codec_default";
inline constexpr char kAttributeDatasetId[] = "dataset_id";
inline constexpr char kAttributeDigest[] = "content_digest";
inline constexpr char kAttributeComplete[] = "complete";
/// Attribute of the JSON data sets: CRC-32C of their text.
inline constexpr char kAttributeCrc[] = "crc32c";
/// Attributes of a split.
inline constexpr char kAttributeSeed[] = "seed";

/// Groups.
inline constexpr char kFrames[] = "frames";
inline constexpr char kLabels[] = "labels";
inline constexpr char kSamples[] = "samples";
inline constexpr char kVideos[] = "videos";
inline constexpr char kSplits[] = "splits";
inline constexpr char kProject[] = "project";
inline constexpr char kProvenance[] = "provenance";

/// Data sets, in the group named before.
inline constexpr char kBlob[] = "blob";
inline constexpr char kOffset[] = "offset";
inline constexpr char kBytes[] = "nbytes";
inline constexpr char kCodec[] = "codec";
inline constexpr char kHeight[] = "height";
inline constexpr char kWidth[] = "width";
inline constexpr char kChannels[] = "channels";
inline constexpr char kCrc[] = "crc32c";
inline constexpr char kPositions[] = "xy";
inline constexpr char kVisibility[] = "visibility";
inline constexpr char kIndividualNames[] = "individual_names";
inline constexpr char kBodyparts[] = "bodyparts";
inline constexpr char kSkeleton[] = "skeleton";
inline constexpr char kVideoId[] = "video_id";
inline constexpr char kImageName[] = "image_name";
inline constexpr char kFrameIndex[] = "frame_index";
inline constexpr char kSourceDigest[] = "src_sha256";
inline constexpr char kName[] = "name";
inline constexpr char kTrain[] = "train";
inline constexpr char kTest[] = "test";
inline constexpr char kJson[] = "json";

}  // namespace ringpose::data::packed_format
