#pragma once

#include <sys/types.h>

#include <deque>
#include <string>
#include <string_view>

// Somebody else's program, talked to by lines.
namespace wari {

// A running program with pipes at its standard input, output and error. It leads a process group of its own, so a Ctrl-C at the terminal does not reach it, and
// its own children end with it; where this process dies first it is killed. To be made and used by one thread that outlives it (the kernel ties it to that
// thread).
class ChildProcess {
 public:
  explicit ChildProcess(const std::string& path);  // throws Error where there is nothing to run
  ~ChildProcess();                                 // kills what still runs, and waits for it
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Sends one line; false where the program reads no more.
  bool write_line(std::string_view line);
  // The next whole line of its output that was read already; false where there is none.
  bool take_line(std::string& line);
  // Reads what is there without waiting. `output_closed()` tells of the end.
  void read_available();
  bool output_closed() const { return output_ < 0; }
  int output_descriptor() const { return output_; }  // for poll(); -1: closed
  int error_descriptor() const { return error_; }

  // Waits up to so long for it to end by itself; true if it did.
  bool wait_for_end(int milliseconds);
  // What it wrote last, output and errors, newest last; for messages.
  std::string last_lines() const;
  std::string exit_text() const;  // "exited with 3", "killed by signal 11", "still runs"

 private:
  struct Lines {
    std::string partial;
    std::deque<std::string> whole;
  };
  void read_from(int& descriptor, Lines& lines);
  void remember(const std::string& line);
  void end_group();

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, error_ = -1;  // our ends
  Lines lines_, errors_;
  std::deque<std::string> last_;
  bool ended_ = false;
  int status_ = 0;  // as of waitpid(), once ended
};

}  // namespace wari
