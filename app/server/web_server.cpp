#include "app/server/web_server.h"

#include <fmt/core.h>

#include "app/server/host_check.h"
#include "core/nearest.h"

namespace wari {
namespace {

// Nothing from elsewhere is loaded, nothing of ours is shown within another page, and no type is guessed.
const HttpFields kSafety = {
    {"Content-Security-Policy", "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"X-Frame-Options", "DENY"},
};

}  // namespace

WebServer::WebServer(const WebServerSettings& settings)
    : host_(settings.http.host), pages_(settings.pages.empty() ? Pages() : Pages(settings.pages)), api_(settings.api) {
  http_ = std::make_unique<HttpServer>(settings.http, [this](const HttpRequest& request) { return answer(request); });
}

WebServer::~WebServer() {
  http_.reset();
  api_.stop_match();
}

std::string WebServer::url() const {
  const bool everywhere = host_ == "0.0.0.0" || host_ == "::";
  const std::string name = everywhere ? "localhost" : host_.find(':') != std::string::npos ? "[" + host_ + "]" : host_;
  return fmt::format("http://{}:{}/", name, port());
}

HttpResponse WebServer::answer(const HttpRequest& request) {
  HttpResponse response;
  const bool api = request.path.starts_with("/api/");
  try {
    check_host(request, host_);
    response = api ? api_.answer(request) : answer_page(request);
  } catch (const HttpError& error) {
    response = {error.status(), "application/json", error_body(error.what()), error.headers()};
  }
  response.headers.insert(response.headers.end(), kSafety.begin(), kSafety.end());
  response.headers.emplace_back("Cache-Control", api ? "no-store" : "no-cache");
  return response;
}

HttpResponse WebServer::answer_page(const HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    throw HttpError(405, fmt::format("{} does not take {}: use GET", quote(request.path), quote(request.method)), {{"Allow", "GET, HEAD"}});
  std::optional<Page> page = pages_.find(request.path);
  if (!page) throw HttpError(404, fmt::format("no such page: {}: begin at '/'", quote(request.path)));
  if (request.header("if-none-match") == page->etag) return {304, page->type, "", {{"ETag", page->etag}}};
  return {200, page->type, std::move(page->bytes), {{"ETag", page->etag}}};
}

}  // namespace wari
