#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// TensorBoard's event files, written without TensorFlow: framed records, each an `Event` message of tensorboard's event.proto.
namespace wari {

// CRC-32C (Castagnoli) of the bytes, and the masked form in which TFRecord files store it.
std::uint32_t crc32c(std::string_view bytes);
std::uint32_t masked_crc32c(std::string_view bytes);

// One record: length, its checksum, the payload, its checksum; little endian.
std::string tfrecord(std::string_view payload);

// One `Event`. An empty `scalars` list gives the version event that opens a file.
std::string tensorboard_event(double wall_time_seconds, std::int64_t step, const std::vector<std::pair<std::string, float>>& scalars);

// One file of one process; a continued run opens another in the same folder, and TensorBoard joins them.
class EventFile {
 public:
  // The file is made by the first write, so a run that has nothing left to do leaves no trace.
  explicit EventFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void write(std::int64_t step, const std::vector<std::pair<std::string, float>>& scalars);
  const std::filesystem::path& file() const { return file_; }

 private:
  void open(double wall_time_seconds);
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

}  // namespace wari
