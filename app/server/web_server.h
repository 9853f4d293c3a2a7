#pragma once

#include <memory>
#include <string>

#include "app/server/api.h"
#include "app/server/http_server.h"
#include "app/server/pages.h"

// `wari serve`: the pages and the interface behind them on one port.
namespace wari {

struct WebServerSettings {
  ApiSettings api;
  HttpSettings http;
  std::filesystem::path pages;  // empty: those of the program
};

class WebServer {
 public:
  explicit WebServer(const WebServerSettings& settings);  // serves from here on; throws Error
  ~WebServer();

  int port() const { return http_->port(); }
  std::string url() const;

 private:
  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_page(const HttpRequest& request) const;

  std::string host_;
  Pages pages_;
  Api api_;
  std::unique_ptr<HttpServer> http_;
};

}  // namespace wari
