#include "core/durable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
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

TEST_F(DurableFile, WhatLiesBesideIsNotTouched) {
  for (const char* name : {"a.tmp", "a.1.tmp"}) write_file_durably(folder_ / name, "of somebody else");
  write_file_durably(folder_ / "victim", "of somebody else");
  fs::create_symlink(folder_ / "victim", folder_ / "a.2.tmp");
  write_file_durably(folder_ / "a", "text");
  EXPECT_EQ(read_whole_file(folder_ / "a"), "text");
  EXPECT_FALSE(fs::is_symlink(folder_ / "a"));
  for (const char* name : {"a.tmp", "a.1.tmp", "victim"}) EXPECT_EQ(read_whole_file(folder_ / name), "of somebody else") << name;
  EXPECT_FALSE(fs::exists(folder_ / "a.3.tmp"));
}

TEST_F(DurableFile, LinksAreFollowedAndPermissionsKept) {
  fs::create_directory(folder_ / "elsewhere");
  write_file_durably(folder_ / "elsewhere/a", "old");
  fs::permissions(folder_ / "elsewhere/a", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("elsewhere/a", folder_ / "link");
  fs::create_symlink("elsewhere/b", folder_ / "to_nothing");
  write_file_durably(folder_ / "link", "new");
  write_file_durably(folder_ / "to_nothing", "first");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_whole_file(folder_ / "elsewhere/a"), "new");
  EXPECT_EQ(read_whole_file(folder_ / "elsewhere/b"), "first");
  EXPECT_EQ(fs::status(folder_ / "elsewhere/a").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(DurableFile, DevicesAndPipesAreNotReplaced) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", folder_ / "link");
  for (const char* name : {"pipe", "link", "."}) EXPECT_THROW(write_file_durably(folder_ / name, "text"), Error) << name;
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_FALSE(fs::exists(folder_ / "pipe.tmp"));
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
