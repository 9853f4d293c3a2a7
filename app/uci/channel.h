#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

// Standard input and output as the protocol uses them: whole lines, each sent at once, from any thread; with a log of both directions where one is wanted.
namespace wari {

class UciChannel {
 public:
  void say(const std::string& line);                          // an empty line would end some programs' reading: it is left out
  void set_log_file(const std::string& file);                 // empty: none. Throws Error
  // Until the input ends, or after the line "quit". `take` gets each line without its end; what is longer than any command is cut.
  void read_lines(const std::function<void(std::string_view line)>& take);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void log(char direction, std::string_view line);  // mutex_ is held

  std::mutex mutex_;
  std::unique_ptr<std::FILE, Close> log_;
};

}  // namespace wari
