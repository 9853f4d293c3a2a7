#include "train/tensorboard.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <protozero/pbf_reader.hpp>

#include "core/durable_file.h"

namespace wari {
namespace {

struct ReadEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string version;
  std::vector<std::pair<std::string, float>> scalars;
};

std::uint32_t number32(const std::string& bytes, std::size_t at) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

ReadEvent read_event(const std::string& payload) {
  ReadEvent event;
  protozero::pbf_reader reader(payload);
  while (reader.next()) {
    if (reader.tag() == 1)
      event.wall_time = reader.get_double();
    else if (reader.tag() == 2)
      event.step = reader.get_int64();
    else if (reader.tag() == 3)
      event.version = reader.get_string();
    else if (reader.tag() == 5) {
      protozero::pbf_reader summary = reader.get_message();
      while (summary.next(1)) {
        protozero::pbf_reader value = summary.get_message();
        event.scalars.emplace_back();
        while (value.next()) {
          if (value.tag() == 1)
            event.scalars.back().first = value.get_string();
          else if (value.tag() == 2)
            event.scalars.back().second = value.get_float();
          else
            value.skip();
        }
      }
    } else
      reader.skip();
  }
  return event;
}

// Reads the frames as TensorBoard does: length, checksum of the length, payload, checksum of the payload.
std::vector<ReadEvent> read_events(const std::string& bytes) {
  std::vector<ReadEvent> events;
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t length;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    EXPECT_EQ(number32(bytes, at + 8), masked_crc32c(std::string_view(bytes).substr(at, 8)));
    const std::string payload = bytes.substr(at + 12, length);
    EXPECT_EQ(number32(bytes, at + 12 + length), masked_crc32c(payload));
    events.push_back(read_event(payload));
    at += 12 + length + 4;
  }
  EXPECT_EQ(at, bytes.size());
  return events;
}

TEST(TensorBoard, ChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);            // the check value of CRC-32C
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);  // RFC 3720, B.4
}

TEST(TensorBoard, FileStartsWithItsVersionAndHoldsEveryScalar) {
  const auto folder = std::filesystem::temp_directory_path() / ("wari_events_" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  EventFile file(folder);
  EXPECT_FALSE(std::filesystem::exists(folder)) << "nothing is made before the first write";
  file.write(3, {{"loss/policy", 1.5f}, {"games/length", 80.0f}});
  file.write(4, {{"loss/policy", 1.25f}});
  const std::vector<ReadEvent> events = read_events(read_whole_file(file.file()));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].version, "brain.Event:2");
  EXPECT_EQ(events[1].step, 3);
  EXPECT_GT(events[1].wall_time, 1.6e9);
  ASSERT_EQ(events[1].scalars.size(), 2u);
  EXPECT_EQ(events[1].scalars[1], std::make_pair(std::string("games/length"), 80.0f));
  EXPECT_EQ(events[2].scalars[0], std::make_pair(std::string("loss/policy"), 1.25f));
  EventFile second(folder);
  second.write(5, {{"loss/policy", 1.0f}});
  EXPECT_NE(second.file(), file.file()) << "a continued run opens another file";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wari
