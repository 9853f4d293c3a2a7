#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// One request and its answer, as the routes of `wari serve` see them; how they travel is known to http_server.cpp alone.
namespace wari {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string path;                   // decoded, without the query
  HttpFields query;                   // decoded, in order
  HttpFields headers;                 // names in lower case
  std::string body;
  std::function<bool()> client_left;  // has the client closed its connection, or does the server stop? Asked now and then by whatever takes long

  // The first of that name; empty: none.
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return "";
  }
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  HttpFields headers;
};

// An answer that says what the client did wrong, or why it must wait: "what: where: what to do".
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& message, HttpFields headers = {}) : std::runtime_error(message), status_(status), headers_(std::move(headers)) {}
  int status() const { return status_; }
  const HttpFields& headers() const { return headers_; }

 private:
  int status_;
  HttpFields headers_;
};

inline constexpr int kClientLeft = 499;  // status of a request that client_left() ended
inline HttpError nobody_waits() { return HttpError(kClientLeft, "cancelled: the client closed its connection: ask again"); }

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

}  // namespace wari
