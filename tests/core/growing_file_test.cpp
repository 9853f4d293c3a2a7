#include "core/growing_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/durable_file.h"
#include "core/error.h"

namespace wari {
namespace {

TEST(GrowingFile, IsThereWholeOrNotAtAll) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("wari_growing_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder / "folder");
  write_file_durably(folder / "a", "old");
  { GrowingFile(folder / "a").append("dropped"); }
  EXPECT_EQ(read_whole_file(folder / "a"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.tmp"));
  GrowingFile file(folder / "a");
  file.append("one ");
  file.append("two");
  EXPECT_EQ(read_whole_file(folder / "a"), "old");
  file.publish();
  EXPECT_EQ(read_whole_file(folder / "a"), "one two");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.tmp"));
  EXPECT_THROW(GrowingFile(folder / "folder"), Error);
  EXPECT_THROW(GrowingFile(folder / "no/such/file"), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "folder.tmp"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wari
