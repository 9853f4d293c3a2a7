#include "app/server/pages.h"

#include <algorithm>
#include <cctype>

#include "core/content_hash.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
    {".html", "text/html; charset=utf-8"}, {".css", "text/css; charset=utf-8"}, {".js", "text/javascript; charset=utf-8"},
    {".json", "application/json"},         {".svg", "image/svg+xml"},           {".png", "image/png"},
    {".ico", "image/x-icon"},              {".woff2", "font/woff2"},            {".webmanifest", "application/manifest+json"},
    {".txt", "text/plain; charset=utf-8"}};

// Empty: files of this kind are not served.
std::string_view type_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  for (const auto& [extension, type] : kTypes) {
    if (dot != std::string_view::npos && name.substr(dot) == extension) return type;
  }
  return "";
}

// Letters, digits, '-', '_' and '.', the last not at the start of a part: nothing that leads out of a folder or to a hidden file.
bool is_plain_name(std::string_view name) {
  char before = '/';
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    if (!plain && (before == '/' || (c != '.' && c != '/'))) return false;
    before = c;
  }
  return before != '/';
}

Page page_of(std::string_view type, std::string bytes) {
  const std::string hash = content_hash(bytes);
  return {std::string(type), std::move(bytes), "\"" + hash + "\""};
}

}  // namespace

Pages::Pages() {
  for (const EmbeddedPage& page : embedded_pages()) {
    const std::string_view type = type_of(page.name);
    if (!type.empty()) embedded_[page.name] = page_of(type, std::string(reinterpret_cast<const char*>(page.bytes), page.size));
  }
}

Pages::Pages(const fs::path& folder) {
  if (!fs::is_directory(folder)) throw Error("no such folder of pages: " + quote(folder.string()) + ": leave --pages out to use the program's own");
  folder_ = fs::canonical(folder);
}

std::optional<Page> Pages::find(std::string_view path) const {
  const std::string name = path == "/" ? "index.html" : std::string(path.substr(1));
  const std::string_view type = type_of(name);
  if (type.empty() || !is_plain_name(name)) return std::nullopt;
  if (folder_.empty()) {
    const auto found = embedded_.find(name);
    if (found == embedded_.end()) return std::nullopt;
    return found->second;
  }
  std::error_code failed;
  const fs::path file = fs::canonical(folder_ / name, failed);  // where links lead
  const bool inside = !failed && std::mismatch(folder_.begin(), folder_.end(), file.begin(), file.end()).first == folder_.end();
  if (!inside || !fs::is_regular_file(file)) return std::nullopt;
  return page_of(type, read_whole_file(file));
}

}  // namespace wari
