#pragma once

#include <stdexcept>
#include <string>

namespace wari {

// What went wrong decides the exit status of the command line (../docs and `cli.md`): a failed check, wrong use or bad input, anything else.
enum class ErrorKind { check_failed = 1, bad_input = 2, system = 3 };

// The one exception of the project, thrown at the edges (files, configuration, devices, protocol). `what()` reads "what is wrong: where: what to do".
// Offending text stands in single quotes, a place in a file as `file:line`.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::bad_input) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// For disk, memory and device troubles: exit status 3.
inline Error system_error(const std::string& message) { return Error(message, ErrorKind::system); }

}  // namespace wari
