#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "app/server/web_server.h"

// A server in this process, and clients of it.
namespace wari {

struct Answer {
  int status = 0;  // 0: no answer came
  std::string body;
  HttpFields headers;  // names in lower case
  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
  std::string header(const std::string& name) const;
  std::string error() const { return json().value("error", ""); }
};

// Settings for tests: any free port, one thread, no run.
WebServerSettings test_settings();

Answer get(int port, const std::string& path, const HttpFields& headers = {});
Answer post(int port, const std::string& path, const nlohmann::json& body, const HttpFields& headers = {});
Answer post_text(int port, const std::string& path, const std::string& body, const std::string& type = "application/json", const HttpFields& headers = {});
Answer ask(int port, const std::string& method, const std::string& path);

// A connection whose bytes are the test's own.
class RawConnection {
 public:
  explicit RawConnection(int port);
  ~RawConnection();
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  void send(const std::string& bytes) const;
  void finish() const;  // nothing more will be sent
  // Everything up to the end of the stream, or of ten seconds.
  std::string read_all() const;
  // The status of an answer; 0: there was none.
  int read_status() const;

 private:
  int socket_;
};

// "POST /api/think ..." with its headers.
std::string post_bytes(const std::string& path, const std::string& body);

}  // namespace wari
