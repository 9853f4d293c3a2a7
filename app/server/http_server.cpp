#include "app/server/http_server.h"

#include <fmt/core.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/error.h"
#include "core/log.h"
#include "core/nearest.h"

namespace wari {
namespace {

constexpr int kBacklog = 128;          // connections that the system keeps for us; the library's 5 make a burst of clients wait for a second
constexpr int kWriteSeconds = 10;

// A request that was read already, and the socket that its answer goes to.
class AnswerStream final : public httplib::Stream {
 public:
  AnswerStream(int socket, const std::string& head) : socket_(socket), head_(head) {
    const timeval patience{kWriteSeconds, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  }

  bool is_readable() const override { return read_ < head_.size(); }
  bool is_writable() const override { return !peer_left(socket_); }
  ssize_t read(char* bytes, std::size_t size) override {
    const std::size_t count = head_.copy(bytes, size, read_);
    read_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* bytes, std::size_t size) override { return ::send(socket_, bytes, size, MSG_NOSIGNAL); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  int socket_;
  const std::string& head_;
  std::size_t read_ = 0;
};

void send_refusal(int socket, const RawRequest& request) {
  const std::string body = error_body(request.reason);
  const std::string answer = fmt::format("HTTP/1.1 {} Refused\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", request.refused, body.size(), body);
  [[maybe_unused]] const ssize_t sent = ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
}

// The library's server, fed with requests that are whole and within limits.
class BoundedServer final : public httplib::Server {
 public:
  explicit BoundedServer(const HttpSettings& settings) : limits_(settings.limits), crowd_(settings.threads / 2) {
    new_task_queue = [threads = settings.threads] { return new httplib::ThreadPool(static_cast<std::size_t>(threads)); };
    // The library would also set SO_REUSEPORT, and two servers would share the port's requests.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);
  }

  void widen_backlog() { ::listen(svr_sock_, kBacklog); }
  void begin_stopping() { stopping_ = true; }
  const std::atomic<bool>& stopping() const { return stopping_; }

 private:
  bool process_and_close_socket(socket_t socket) override {
    ++reading_;
    const RawRequest request = read_request(socket, limits_, stopping_, [this] { return reading_ > crowd_; });
    --reading_;
    if (request.closed) return ::close(socket) == 0;  // there is nobody to read an answer
    if (request.refused != 0) send_refusal(socket, request);
    if (request.refused == 0) {
      AnswerStream stream(socket, request.head);
      bool closed = false;
      process_request(stream, true, closed, [&](httplib::Request& parsed) {
        parsed.body = request.body;
        // The one member of a request that a handler can ask something: how it is named is the library's affair.
        parsed.progress = [this, socket](std::uint64_t, std::uint64_t) { return !stopping_ && !peer_left(socket); };
      });
    }
    close_gently(socket);
    return true;
  }

  RequestLimits limits_;
  int crowd_;                     // so many requests that are read at once are many
  std::atomic<int> reading_ = 0;
  std::atomic<bool> stopping_ = false;
};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

HttpRequest plain_request(const httplib::Request& request) {
  HttpRequest plain;
  plain.method = request.method;
  plain.path = request.path;
  for (const auto& [name, value] : request.params) plain.query.emplace_back(name, value);
  for (const auto& [name, value] : request.headers) plain.headers.emplace_back(lower(name), value);
  plain.body = request.body;
  plain.client_left = [go_on = request.progress] { return !go_on(0, 0); };
  return plain;
}

HttpResponse error_response(int status, const std::string& message, HttpFields headers = {}) {
  return {status, "application/json", error_body(message), std::move(headers)};
}

HttpResponse answer(const HttpHandler& handler, const HttpRequest& request) {
  try {
    return handler(request);
  } catch (const HttpError& error) {
    return error_response(error.status(), error.what(), error.headers());
  } catch (const std::bad_alloc&) {
    return error_response(503, "out of memory: this machine: try again with fewer visits");
  } catch (const std::exception& error) {
    log_warning("{} {}: {}", request.method, request.path, error.what());
    return error_response(500, error.what());
  }
}

Error cannot_listen(const HttpSettings& settings, int code) {
  if (code == EADDRINUSE) return Error(fmt::format("port in use: {}:{}: stop the program that listens there, or choose another with --port", settings.host, settings.port));
  return Error(fmt::format("cannot listen ({}): {}: give an address of this machine with --host and a port from 1024 on with --port", code == 0 ? "no such address" : std::strerror(code),
                           quote(fmt::format("{}:{}", settings.host, settings.port))));
}

}  // namespace

std::string error_body(const std::string& message) {
  return nlohmann::json{{"error", message}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct HttpServer::Library {
  BoundedServer server;
  int port = 0;
  std::thread listening;

  explicit Library(const HttpSettings& settings) : server(settings) {}
};

HttpServer::HttpServer(const HttpSettings& settings, HttpHandler handler) : library_(std::make_unique<Library>(settings)) {
  BoundedServer& server = library_->server;
  server.set_pre_routing_handler([&server, handler = std::move(handler)](const httplib::Request& request, httplib::Response& response) {
    HttpResponse said = answer(handler, plain_request(request));
    // What was told that its client left may have been told so because we stop: then the client is there, and hears why.
    if (said.status == kClientLeft && server.stopping()) said = error_response(503, "the server is stopping: start it again");
    response.status = said.status;
    for (const auto& [name, value] : said.headers) response.set_header(name, value);
    if (!said.body.empty()) response.set_content(std::move(said.body), said.type);
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty()) response.set_content(error_body("the request is malformed: its first line: send GET, POST or DELETE"), "application/json");
  });
  errno = 0;
  library_->port = settings.port == 0 ? server.bind_to_any_port(settings.host) : settings.port;
  if (library_->port < 0 || (settings.port != 0 && !server.bind_to_port(settings.host, settings.port))) throw cannot_listen(settings, errno);
  server.widen_backlog();
  library_->listening = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // stop() does nothing before
}

HttpServer::~HttpServer() {
  library_->server.begin_stopping();
  library_->server.stop();
  library_->listening.join();
}

int HttpServer::port() const { return library_->port; }

}  // namespace wari
