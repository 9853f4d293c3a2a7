#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// The files of the pages: compiled into the program (app/web, by cmake/embed_pages.cmake), or, for whoever works on them, read from a folder at each request.
namespace wari {

struct EmbeddedPage {
  const char* name;  // "play/board.js"
  const unsigned char* bytes;
  std::size_t size;
};
std::span<const EmbeddedPage> embedded_pages();  // made by the build

struct Page {
  std::string type;
  std::string bytes;
  std::string etag;  // with its quotes
};

class Pages {
 public:
  Pages();                                            // those of the program
  explicit Pages(const std::filesystem::path& folder);  // throws Error where it is none

  // `path` as a browser asks for it: "/" is "/index.html". None: there is no such file.
  std::optional<Page> find(std::string_view path) const;

 private:
  std::map<std::string, Page, std::less<>> embedded_;  // by name
  std::filesystem::path folder_;                       // empty: embedded
};

}  // namespace wari
