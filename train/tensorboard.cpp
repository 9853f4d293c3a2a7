#include "train/tensorboard.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <protozero/pbf_writer.hpp>

#include "core/error.h"

namespace wari {
namespace {

// Field numbers of event.proto and summary.proto.
constexpr protozero::pbf_tag_type kEventWallTime = 1, kEventStep = 2, kEventFileVersion = 3, kEventSummary = 5;
constexpr protozero::pbf_tag_type kSummaryValue = 1;
constexpr protozero::pbf_tag_type kValueTag = 1, kValueSimple = 2;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1u) ? 0x82f63b78u : 0u);
    table[byte] = value;
  }
  return table;
}

double seconds_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

template <class Integer>
void append_little_endian(std::string& out, Integer value) {
  for (unsigned shift = 0; shift < 8 * sizeof(value); shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

void append(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::app);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  if (!out) throw system_error("cannot write: '" + file.string() + "': " + std::strerror(errno) + "; is the disk full? The last checkpoint is intact");
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t value = ~0u;
  for (const char byte : bytes) value = kTable[(value ^ static_cast<unsigned char>(byte)) & 0xff] ^ (value >> 8);
  return ~value;
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

std::string tfrecord(std::string_view payload) {
  std::string record;
  append_little_endian(record, static_cast<std::uint64_t>(payload.size()));
  append_little_endian(record, masked_crc32c(record));
  record += payload;
  append_little_endian(record, masked_crc32c(payload));
  return record;
}

std::string tensorboard_event(double wall_time_seconds, std::int64_t step, const std::vector<std::pair<std::string, float>>& scalars) {
  std::string event;
  protozero::pbf_writer writer(event);
  writer.add_double(kEventWallTime, wall_time_seconds);
  writer.add_int64(kEventStep, step);
  if (scalars.empty()) {
    writer.add_string(kEventFileVersion, "brain.Event:2");
    return event;
  }
  protozero::pbf_writer summary(writer, kEventSummary);
  for (const auto& [tag, number] : scalars) {
    protozero::pbf_writer value(summary, kSummaryValue);
    value.add_string(kValueTag, tag);
    value.add_float(kValueSimple, number);
  }
  return event;
}

void EventFile::open(double wall_time_seconds) {
  std::filesystem::create_directories(folder_);
  // TensorBoard reads the files of a folder in order of their names: the time first, then a number, so that two in one second differ.
  const std::string name = "events.out.tfevents." + std::to_string(static_cast<std::int64_t>(wall_time_seconds));
  for (int number = 0; file_.empty() || std::filesystem::exists(file_); ++number) file_ = folder_ / (name + "." + std::to_string(number) + ".wari");
  append(file_, tfrecord(tensorboard_event(wall_time_seconds, 0, {})));
}

void EventFile::write(std::int64_t step, const std::vector<std::pair<std::string, float>>& scalars) {
  if (scalars.empty()) return;
  const double now = seconds_now();
  if (file_.empty()) open(now);
  append(file_, tfrecord(tensorboard_event(now, step, scalars)));
}

}  // namespace wari
