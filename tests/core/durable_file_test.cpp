#include "core/durable_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

class DurableFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("wari_durable_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    failures_left = 0;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static ssize_t failing_write(int descriptor, const void* bytes, std::size_t count) {
    if (failures_left > 0) {
      --failures_left;
      errno = failure;
      return -1;
    }
    return ::write(descriptor, bytes, count);
  }

  static inline int failures_left = 0;
  static inline int failure = EIO;
  fs::path folder_;
};

TEST_F(DurableFile, IsWrittenWholeAndLeavesNoTemporaryBehind) {
  write_file_durably(folder_ / "a", std::string("one\0two", 7));
  EXPECT_EQ(read_whole_file(folder_ / "a"), std::string("one\0two", 7));
  EXPECT_FALSE(fs::exists(folder_ / "a.tmp"));
}

TEST_F(DurableFile, OneTransientErrorIsTriedAgain) {
  failures_left = 1;
  failure = EIO;
  write_file_durably(folder_ / "a", "text", {.write = failing_write});
  EXPECT_EQ(read_whole_file(folder_ / "a"), "text");
}

TEST_F(DurableFile, FullDiskKeepsTheOldFileAndSaysSo) {
  write_file_durably(folder_ / "a", "old");
  failures_left = 5;
  failure = ENOSPC;
  try {
    write_file_durably(folder_ / "a", "new", {.write = failing_write});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
  EXPECT_EQ(read_whole_file(folder_ / "a"), "old");
  EXPECT_FALSE(fs::exists(folder_ / "a.tmp"));
}

TEST_F(DurableFile, FailedAppendTakesTheHalfLineBack) {
  append_line_durably(folder_ / "lines", "first");
  failures_left = 2;
  failure = EIO;
  EXPECT_THROW(append_line_durably(folder_ / "lines", "second", {.write = failing_write}), Error);
  append_line_durably(folder_ / "lines", "third");
  EXPECT_EQ(read_whole_file(folder_ / "lines"), "first\nthird\n");
}

TEST_F(DurableFile, MissingFileIsNamed) {
  try {
    read_whole_file(folder_ / "absent");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos);
  }
}

}  // namespace
}  // namespace wari
