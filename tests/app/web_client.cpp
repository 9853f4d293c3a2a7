#include "tests/app/web_client.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

namespace wari {
namespace {

httplib::Client client_of(int port) {
  httplib::Client client("127.0.0.1", port);
  client.set_read_timeout(60);
  return client;
}

httplib::Headers headers_of(const HttpFields& headers) {
  httplib::Headers result;
  for (const auto& [name, value] : headers) result.emplace(name, value);
  return result;
}

Answer answer_of(const httplib::Result& result) {
  Answer answer;
  if (!result) return answer;
  answer.status = result->status;
  answer.body = result->body;
  for (const auto& [name, value] : result->headers) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.headers.emplace_back(lower, value);
  }
  return answer;
}

}  // namespace

std::string Answer::header(const std::string& name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

WebServerSettings test_settings() {
  WebServerSettings settings;
  settings.http.threads = 48;
  settings.api.searches.pool.threads = 1;
  settings.api.searches.pool.tree_mb = 16;
  return settings;
}

Answer get(int port, const std::string& path, const HttpFields& headers) { return answer_of(client_of(port).Get(path, headers_of(headers))); }

Answer post_text(int port, const std::string& path, const std::string& body, const std::string& type, const HttpFields& headers) {
  return answer_of(client_of(port).Post(path, headers_of(headers), body, type));
}

Answer post(int port, const std::string& path, const nlohmann::json& body, const HttpFields& headers) {
  return post_text(port, path, body.dump(), "application/json", headers);
}

Answer ask(int port, const std::string& method, const std::string& path) {
  httplib::Request request;
  request.method = method;
  request.path = path;
  httplib::Client client = client_of(port);
  return answer_of(client.send(request));
}

RawConnection::RawConnection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("cannot connect");
  const timeval patience{10, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

RawConnection::~RawConnection() { ::close(socket_); }

void RawConnection::send(const std::string& bytes) const {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return;
    sent += static_cast<std::size_t>(count);
  }
}

void RawConnection::finish() const { ::shutdown(socket_, SHUT_WR); }

std::string RawConnection::read_all() const {
  std::string all;
  char buffer[4096];
  for (ssize_t count; (count = ::recv(socket_, buffer, sizeof buffer, 0)) > 0;) all.append(buffer, static_cast<std::size_t>(count));
  return all;
}

int RawConnection::read_status() const {
  const std::string answer = read_all();
  return answer.starts_with("HTTP/1.1 ") ? std::atoi(answer.c_str() + 9) : 0;
}

std::string post_bytes(const std::string& path, const std::string& body) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", path, body.size(), body);
}

}  // namespace wari
