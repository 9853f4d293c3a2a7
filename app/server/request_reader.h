#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

// Takes one HTTP/1 request off a socket within limits of size and time, before anything looks at what it says: whatever comes in, memory and patience are bounded.
namespace wari {

struct RequestLimits {
  std::size_t line_bytes = 4096;     // of the request line
  std::size_t head_bytes = 16384;    // of all headers
  std::size_t body_bytes = 1 << 20;
  std::chrono::milliseconds time{10'000};  // from the connection to the last byte
  // The same while many requests are read at once, to the end of the headers and to the last byte: connections that send nothing must not keep out those that do.
  std::chrono::milliseconds crowded_head_time{1000}, crowded_time{3000};
};

struct RawRequest {
  std::string head;     // request line and the headers that matter here, with the empty line; what others say is dropped
  std::string body;
  int refused = 0;      // status to answer with in its place; 0: the request is whole
  std::string reason;   // "what: where: what to do"
  bool closed = false;  // there is nobody to answer to
};

// Gives up early, with `closed`, when `stopping` is set. `crowded`: are many read at once? Asked again and again.
RawRequest read_request(int socket, const RequestLimits& limits, const std::atomic<bool>& stopping, const std::function<bool()>& crowded);

// Has the other side closed the connection, or its half of it?
bool peer_left(int socket);

// Closes so that what was written arrives even where the client is still sending: its bytes are read away for a moment.
void close_gently(int socket);

}  // namespace wari
