#include "app/server/request_reader.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace wari {
namespace {

using Clock = std::chrono::steady_clock;

// Those that anything here looks at. The others never reach the library, whose parsing of some of them (Range) is open to abuse.
constexpr std::string_view kKnownHeaders[] = {"host", "origin", "content-type", "content-length", "if-none-match", "sec-fetch-site"};

template <class Deadline>
bool wait_readable(int socket, Deadline deadline, const std::atomic<bool>* stopping) {
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  while (stopping == nullptr || !*stopping) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline() - Clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting{socket, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(left, kBetweenLooks).count()));
    if (ready > 0) return true;
  }
  return false;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

// "GET /path HTTP/1.1": anything else on a port comes from something that speaks no HTTP.
bool is_request_line(std::string_view line) {
  const std::size_t method = line.find(' ');
  const std::size_t target = line.rfind(' ');
  if (method == 0 || method == std::string_view::npos || target <= method + 1 || line[method + 1] != '/') return false;
  const bool plain = std::all_of(line.begin(), line.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
  const bool word = std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(method), [](unsigned char c) { return std::isupper(c) != 0; });
  const std::string_view version = line.substr(target + 1);
  return plain && word && line.find(' ', method + 1) == target && (version == "HTTP/1.1" || version == "HTTP/1.0");
}

class Reader {
 public:
  Reader(int socket, const RequestLimits& limits, const std::atomic<bool>& stopping, const std::function<bool()>& crowded)
      : socket_(socket), limits_(limits), stopping_(stopping), crowded_(crowded) {}

  RawRequest read() {
    if (read_head() && check_headers() && check_length()) read_body();
    return std::move(request_);
  }

 private:
  bool refuse(int status, std::string reason) {
    request_.refused = status;
    request_.reason = std::move(reason);
    return false;
  }

  std::chrono::milliseconds time() const { return !crowded_() ? limits_.time : std::min(limits_.time, request_.head.empty() ? limits_.crowded_head_time : limits_.crowded_time); }

  bool close() {
    request_.closed = true;
    return false;
  }

  // More bytes; false at the end of the stream or of the time.
  bool receive() {
    char buffer[8192];
    if (!wait_readable(socket_, [this] { return begin_ + time(); }, &stopping_)) {
      if (bytes_.empty() || stopping_) return close();  // a connection made ahead of need
      return refuse(408, fmt::format("the request took too long: it must be whole within {:g} s: send it again", static_cast<double>(time().count()) / 1000));
    }
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count <= 0) return close();
    bytes_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }

  bool read_head() {
    while (true) {
      const std::size_t line = bytes_.find("\r\n");
      if (std::min(line, bytes_.size()) > limits_.line_bytes)
        return refuse(414, fmt::format("the address is too long: the request's first line: use at most {} bytes", limits_.line_bytes));
      if (line != std::string::npos && !is_request_line(std::string_view(bytes_).substr(0, line)))
        return refuse(400, "this is not HTTP: the request's first line: write METHOD /path HTTP/1.1");
      const std::size_t end = bytes_.find("\r\n\r\n");
      if (line != std::string::npos && std::min(end, bytes_.size()) > line + 2 + limits_.head_bytes)
        return refuse(431, fmt::format("the headers are too long: the request: send at most {} bytes of them", limits_.head_bytes));
      if (end != std::string::npos) {
        request_.head = bytes_.substr(0, line + 2);
        headers_ = bytes_.substr(line + 2, end - line);
        bytes_.erase(0, end + 4);
        return true;
      }
      if (!receive()) return false;
    }
  }

  bool check_headers() {
    for (std::size_t begin = 0; begin < headers_.size();) {
      const std::size_t end = headers_.find("\r\n", begin);
      const std::string_view line = std::string_view(headers_).substr(begin, end - begin);
      begin = end + 2;
      const std::size_t colon = line.find(':');
      if (colon == 0 || colon == std::string_view::npos || line.find_first_of(" \t") < colon || std::any_of(line.begin(), line.end(), is_control))
        return refuse(400, "a header is malformed: the request: write 'Name: value'");
      if (!check_header(lower(line.substr(0, colon)), trimmed(line.substr(colon + 1)))) return false;
    }
    request_.head += "\r\n";
    return true;
  }

  bool check_header(const std::string& name, std::string_view value) {
    if (name == "transfer-encoding" || name == "content-encoding") return refuse(501, "the body is coded: header " + name + ": send it plainly, with Content-Length");
    if (name == "expect") expects_continue_ = lower(value) == "100-continue";
    if (std::find(std::begin(kKnownHeaders), std::end(kKnownHeaders), name) == std::end(kKnownHeaders)) return true;
    const std::string start = "\r\n" + name + ":";
    if (request_.head.find(start) != std::string::npos) return refuse(400, "header " + name + " is given twice: the request: send one");
    if (name == "content-length") {
      std::size_t bytes = 0;
      const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), bytes);
      if (error != std::errc() || rest != value.data() + value.size()) return refuse(400, "header Content-Length is no number: the request: send the body's bytes");
      length_ = bytes;
    }
    request_.head += fmt::format("{}: {}\r\n", name, value);
    return true;
  }

  bool check_length() {
    const std::string& head = request_.head;
    const bool has_body = head.starts_with("POST ") || head.starts_with("PUT ") || head.starts_with("PATCH ");
    if (has_body && !length_) return refuse(411, "the request has no length: header Content-Length: send the body's bytes");
    if (length_.value_or(0) <= limits_.body_bytes) return true;
    return refuse(413, fmt::format("the body is too long: the request: send at most {} bytes", limits_.body_bytes));
  }

  void read_body() {
    const std::size_t length = length_.value_or(0);
    if (expects_continue_ && bytes_.size() < length) {
      constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      if (::send(socket_, kContinue.data(), kContinue.size(), MSG_NOSIGNAL) < 0) close();
    }
    while (!request_.closed && bytes_.size() < length) {
      if (!receive()) return;
    }
    request_.body = bytes_.substr(0, length);  // one request a connection: whatever follows is dropped
  }

  int socket_;
  const RequestLimits& limits_;
  const std::atomic<bool>& stopping_;
  const std::function<bool()>& crowded_;
  Clock::time_point begin_ = Clock::now();
  RawRequest request_;
  std::string bytes_;    // received and not yet taken apart
  std::string headers_;  // lines
  std::optional<std::size_t> length_;
  bool expects_continue_ = false;
};

}  // namespace

RawRequest read_request(int socket, const RequestLimits& limits, const std::atomic<bool>& stopping, const std::function<bool()>& crowded) {
  return Reader(socket, limits, stopping, crowded).read();
}

bool peer_left(int socket) {
  pollfd connection{socket, POLLRDHUP, 0};
  return ::poll(&connection, 1, 0) > 0 && (connection.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

void close_gently(int socket) {
  constexpr std::size_t kMostBytes = 4 << 20;
  char buffer[8192];
  ::shutdown(socket, SHUT_WR);
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(500);
  for (std::size_t bytes = 0; bytes < kMostBytes && wait_readable(socket, [deadline] { return deadline; }, nullptr);) {
    const ssize_t count = ::recv(socket, buffer, sizeof buffer, 0);
    if (count <= 0) break;
    bytes += static_cast<std::size_t>(count);
  }
  ::close(socket);
}

}  // namespace wari
