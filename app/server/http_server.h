#pragma once

#include <memory>
#include <string>

#include "app/server/http.h"
#include "app/server/request_reader.h"

// Listens on a port and answers each request with what a handler says. cpp-httplib does the listening, the threads and the syntax; it is known here alone.
namespace wari {

struct HttpSettings {
  std::string host = "127.0.0.1";  // to listen on
  int port = 0;                    // 0: any that is free
  int threads = 192;               // requests under way at once; most of them wait for a search
  RequestLimits limits;
};

class HttpServer {
 public:
  // Listens from here on. Throws Error where the port is in use or the address is none of this machine's. The handler is called by many threads at once; HttpError
  // becomes its status, Error and all else 500, each with {"error": ...}.
  HttpServer(const HttpSettings& settings, HttpHandler handler);
  // Ends requests that are under way early (their client_left() says so), and waits for them.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

// {"error": message}
std::string error_body(const std::string& message);

}  // namespace wari
