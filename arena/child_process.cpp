#include "arena/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

constexpr std::size_t kRemembered = 3;         // lines for messages
constexpr std::size_t kMostPending = 1 << 16;  // bytes of a line without an end

// Two descriptors that no other child inherits, and that are not standard ones: where this process was started without those, they would be.
std::array<int, 2> make_pipe(const std::string& path) {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw system_error("cannot make a pipe (" + std::string(std::strerror(errno)) + "): " + quote(path) + ": close other programs");
  for (int& end : ends) {
    if (end > STDERR_FILENO) continue;
    const int moved = ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(end);
    end = moved;
  }
  return ends;
}

// Between fork and exec: nothing but system calls.
[[noreturn]] void become(const char* path, int input, int output, int error, int failure, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_DFL);
  char* const arguments[] = {const_cast<char*>(path), nullptr};
  ::execv(path, arguments);
  const int why = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(failure, &why, sizeof why);
  ::_exit(127);
}

// A write to a program that has ended raises SIGPIPE, which must not end this one: it is held back for the thread and taken away.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const timespec now{};
    if (!sigismember(&before_, SIGPIPE)) {
      while (::sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

void close_descriptor(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& path) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) throw Error("no such program: " + quote(path) + ": give the path of an executable or a script");
  if (std::filesystem::is_directory(path, absent)) throw Error("a folder, not a program: " + quote(path) + ": give the path of an executable or a script");
  // execv() takes a bare name for a file here, not for one on the search path.
  std::array<int, 2> input = make_pipe(path), output = make_pipe(path), error = make_pipe(path), failure = make_pipe(path);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) become(path.c_str(), input[0], output[1], error[1], failure[1], parent);
  const int fork_error = errno;
  for (int* descriptor : {&input[0], &output[1], &error[1], &failure[1]}) close_descriptor(*descriptor);
  input_ = input[1], output_ = output[0], error_ = error[0];
  int why = 0;
  const bool failed = pid_ < 0 || ::read(failure[0], &why, sizeof why) == static_cast<ssize_t>(sizeof why);
  close_descriptor(failure[0]);
  if (failed) {
    if (pid_ < 0) why = fork_error;
    for (int* descriptor : {&input_, &output_, &error_}) close_descriptor(*descriptor);
    if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
    throw Error("cannot run a program (" + std::string(std::strerror(why)) + "): " + quote(path) + ": " +
                (why == EACCES    ? "make it executable: chmod +x"
                 : why == ENOEXEC ? "is it a program for this machine? A script begins with '#!' and its interpreter"
                                  : "check the path, and the interpreter that a script names in its first line"));
  }
  for (const int descriptor : {input_, output_, error_}) ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  for (int* descriptor : {&input_, &output_, &error_}) close_descriptor(*descriptor);
  end_group();
}

// The group is killed while its leader is not waited for yet, so that its number cannot be another's.
void ChildProcess::end_group() {
  if (ended_) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
}

bool ChildProcess::write_line(std::string_view line) {
  const std::string bytes = std::string(line) + "\n";
  const WithoutSigpipe guard;
  // A line is shorter than a pipe's room: a program that leaves no room for it has stopped reading.
  return input_ >= 0 && ::write(input_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

void ChildProcess::remember(const std::string& line) {
  last_.push_back(line);
  if (last_.size() > kRemembered) last_.pop_front();
}

void ChildProcess::read_from(int& descriptor, Lines& lines) {
  const auto end_line = [&] {
    if (!lines.partial.empty() && lines.partial.back() == '\r') lines.partial.pop_back();
    remember(lines.partial);
    lines.whole.push_back(std::move(lines.partial));
    lines.partial.clear();
  };
  char bytes[4096];
  while (descriptor >= 0) {
    const ssize_t count = ::read(descriptor, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    for (ssize_t i = 0; i < count; ++i) {
      if (bytes[i] == '\n' || lines.partial.size() == kMostPending) end_line();
      if (bytes[i] != '\n') lines.partial += bytes[i];
    }
    if (count > 0) continue;
    close_descriptor(descriptor);
    if (!lines.partial.empty()) end_line();
  }
}

void ChildProcess::read_available() {
  read_from(output_, lines_);
  read_from(error_, errors_);
  errors_.whole.clear();  // remembered, and nothing else
}

bool ChildProcess::take_line(std::string& line) {
  if (lines_.whole.empty()) return false;
  line = std::move(lines_.whole.front());
  lines_.whole.pop_front();
  return true;
}

bool ChildProcess::wait_for_end(int milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  do {
    siginfo_t info{};
    // Not waited for yet, so that what its group has left can be killed.
    if (!ended_ && ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_) end_group();
    if (ended_) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

std::string ChildProcess::last_lines() const {
  std::string text;
  for (const std::string& line : last_) text += (text.empty() ? "" : "\n") + line;
  return text;
}

std::string ChildProcess::exit_text() const {
  if (!ended_) return "still runs";
  return WIFSIGNALED(status_) ? "killed by signal " + std::to_string(WTERMSIG(status_)) : "exited with " + std::to_string(WEXITSTATUS(status_));
}

}  // namespace wari
