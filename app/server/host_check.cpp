#include "app/server/host_check.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "core/nearest.h"

namespace wari {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// ":8320"
bool is_port(std::string_view text) {
  return text.size() > 1 && text.front() == ':' && std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// "localhost:8320" -> "localhost", "[::1]:8320" -> "::1"; what is neither stays as it is.
std::string name_of(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    const bool whole = end != std::string_view::npos && (end + 1 == host.size() || is_port(host.substr(end + 1)));
    return whole ? lower(host.substr(1, end - 1)) : "";
  }
  const std::size_t colon = host.find(':');
  if (colon == std::string_view::npos || host.find(':', colon + 1) != std::string_view::npos) return lower(host);
  return is_port(host.substr(colon)) ? lower(host.substr(0, colon)) : "";
}

bool is_address(const std::string& name) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, name.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? lower(name) : "";
}

}  // namespace

bool is_loopback(std::string_view host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

bool is_own_host(std::string_view host, std::string_view listening) {
  const std::string name = name_of(host);
  if (name.empty()) return false;
  if (name == "localhost" || name == "127.0.0.1" || name == "::1" || name == lower(listening)) return true;
  // Open to the network: by any address, which no foreign name can stand for, and by the machine's own name.
  return !is_loopback(listening) && (is_address(name) || name == machine_name());
}

void check_host(const HttpRequest& request, std::string_view listening) {
  const std::string host = request.header("host");
  if (!is_own_host(host, listening)) {
    throw HttpError(403, fmt::format("this server is not called {}: header Host: open it as 'localhost', or start it with --host", quote(host)));
  }
  const std::string origin = request.header("origin");
  if (!origin.empty() && lower(origin) != "http://" + lower(host)) {
    throw HttpError(403, fmt::format("a page of another site asks: header Origin {}: only the server's own pages may", quote(origin)));
  }
  const std::string site = request.header("sec-fetch-site");
  if (request.path.starts_with("/api/") && (site == "cross-site" || site == "same-site")) {
    throw HttpError(403, fmt::format("a page of another site asks: header Sec-Fetch-Site {}: only the server's own pages may", quote(site)));
  }
}

}  // namespace wari
