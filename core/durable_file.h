#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

// Files that are there whole or not at all, whenever the process or the machine stops.
namespace wari {

// The system calls behind a durable write; tests pass ones that fail.
struct FileCalls {
  ssize_t (*write)(int descriptor, const void* bytes, std::size_t count) = nullptr;  // null: the system's
  int (*sync)(int descriptor) = nullptr;                                             // likewise
};

// Writes a temporary file beside `file`, syncs it, renames it and syncs the folder. A transient error (EIO, EAGAIN) is tried once more. On failure nothing is
// left behind, what stood at `file` still stands, and a system Error says what failed (a full disk with the bytes wanted). Symbolic links are followed, permissions of a
// file that is replaced kept; Error where a folder, a device or a pipe stands there.
void write_file_durably(const std::filesystem::path& file, std::string_view bytes, const FileCalls& calls = {});

// A file that is written first and then takes the place of another: the parts of write_file_durably() for whoever writes piece by piece.
struct Replacement {
  std::filesystem::path target;     // what is to be replaced: `file`, or what symbolic links there lead to
  std::filesystem::path temporary;  // beside it: FILE.tmp, or FILE.1.tmp, ... where that name is taken
  int descriptor;                   // of the temporary file, empty and open for writing; the caller's to close
};
// Throws Error where a folder, a device or a pipe stands there, or nothing can be written.
Replacement begin_replacement(const std::filesystem::path& file);

// Adds bytes at the end and syncs. On failure what stood there before is left; a kill in the middle leaves a part, which readers must know to drop.
void append_durably(const std::filesystem::path& file, std::string_view bytes, const FileCalls& calls = {});

// Adds one line (a newline is added) and syncs. A kill in the middle leaves a line without newline, which readers drop.
void append_line_durably(const std::filesystem::path& file, std::string_view line, const FileCalls& calls = {});

// The whole file. A missing or unreadable one is an Error that names it.
std::string read_whole_file(const std::filesystem::path& file);

// Makes renames and removals in a folder survive a power cut.
void sync_folder(const std::filesystem::path& folder);

}  // namespace wari
