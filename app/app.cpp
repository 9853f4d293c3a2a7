#include <csignal>
#include <cstdio>
#include <filesystem>
#include <new>

#include "app/commands.h"
#include "core/error.h"
#include "core/log.h"
#include "core/nearest.h"
#include "cuda/device.h"
#include "search/signature.h"

namespace wari {

namespace {

constexpr int kFailed = 3;
constexpr const char* kMayBeEmpty = "--moves";  // no moves: the position itself

std::string first_line(const char* text) {
  const std::string_view whole(text);
  return std::string(whole.substr(0, whole.find('\n')));
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string whole_name(const CLI::App& command) {
  std::string name = command.get_name();
  for (const CLI::App* parent = command.get_parent(); parent != nullptr; parent = parent->get_parent()) name = parent->get_name() + " " + name;
  return name;
}

Error empty_value(const std::string& flag, const std::string& command) {
  return Error("an empty value '': " + command + " " + flag + ": give a value, or leave the flag out");
}

// An empty text mostly comes from a script's variable that was never set; to take it for "not given" would do something else than was meant.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (std::find(values.begin(), values.end(), "") != values.end() && option->get_name() != kMayBeEmpty)
      throw empty_value(option->get_name(), whole_name(command));
  }
}

// Puts quotes around `text` where it first stands in the message from `from` on.
bool put_in_quotes(std::string& message, const std::string& text, std::size_t from) {
  const std::size_t at = text.empty() ? std::string::npos : message.find(text, from);
  if (at == std::string::npos) return false;
  message.replace(at, text.size(), quote(text));
  return true;
}

// What CLI11 says, with the offending text in quotes: a value of the flag that it names, or words that it could not place.
std::string parse_message(const CLI::ParseError& error, const CLI::App& root, const CLI::App& command) {
  std::string message = first_line(error.what());
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const std::size_t at = message.find(name);
    if (at == std::string::npos || option->count() == 0) continue;
    for (const std::string& value : option->results()) {
      if (put_in_quotes(message, value, at + name.size())) return message;
    }
  }
  std::size_t from = message.find(": ");
  for (const std::string& word : root.remaining(true)) {
    if (from != std::string::npos && put_in_quotes(message, word, from)) from = message.find(quote(word), from) + quote(word).size();
  }
  return message;
}

// CLI11's own messages name neither the nearest command nor the nearest flag, so unknown words are found before it parses.
const CLI::App* check_words(const CLI::App& root, int argc, const char* const* argv) {
  const CLI::App* app = &root;
  std::string typed = root.get_name();
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    const bool is_flag = word.size() > 2 && word.compare(0, 2, "--") == 0;
    if (is_flag) {
      const std::string name = word.substr(0, word.find('='));
      if (word.size() == name.size() + 1) throw empty_value(name, typed);  // CLI11 would take the next word for the value
      const std::vector<std::string> known = flag_names(*app);
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw Error("unknown flag " + quote(name) + ": " + typed + ": " + suggestion(name, known) + " ('" + typed + " --help' lists all)");
      continue;
    }
    const std::vector<std::string> known = command_names(*app);
    if (known.empty() || word.starts_with('-')) continue;
    if (std::find(known.begin(), known.end(), word) == known.end())
      throw Error("unknown command " + quote(word) + ": " + typed + ": " + suggestion(word, known) + " ('" + typed + " --help' lists all)");
    app = app->get_subcommand(word);
    typed += " " + word;
  }
  return app;
}

void print_error(std::string_view message) {
  // At most three more lines of detail; libraries append stack traces.
  std::string text = "wari: ";
  int lines = 1;
  for (char c : message) {
    if (c == '\n' && ++lines > 4) break;
    text += c == '\n' || static_cast<unsigned char>(c) >= 32 ? c : ' ';
  }
  while (text.back() == '\n') text.pop_back();
  std::fprintf(stderr, "%s\n", text.c_str());
}

// What a person can mend by typing something else is bad input; a full disk is not.
int status_of(const std::error_code& code) {
  const bool mine = code == std::errc::no_such_file_or_directory || code == std::errc::permission_denied || code == std::errc::not_a_directory ||
                    code == std::errc::is_a_directory || code == std::errc::file_exists || code == std::errc::filename_too_long ||
                    code == std::errc::read_only_file_system || code == std::errc::operation_not_permitted;
  return mine ? static_cast<int>(ErrorKind::bad_input) : kFailed;
}

}  // namespace

void Output::document(const nlohmann::ordered_json& value) {
  if (!json_ || written_) return;
  written_ = true;
  const std::string line = value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0)
    throw system_error("cannot write: standard output: is the disk full?");
}

void Output::text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw system_error("cannot write: standard output: is the disk full?");
}

CommandLine::CommandLine() : root_("A self-play training system for the Wari family of mancala games.", "wari") {
  root_.set_help_flag("--help,-h", "this text; 'wari COMMAND --help' for one command");
  root_.set_version_flag("--version", [] { return fmt::format("wari {}, search {:016x}, {}", WARI_VERSION, kSearchSignature, built_with_cuda() ? "with CUDA" : "without CUDA"); },
                         "what was built");
  root_.require_subcommand(0, 1);  // one at most: in 'wari bench rules' the second word is a group, not the command of that name
  root_.footer("A first engine in a quarter of an hour: scripts/quickstart.sh");
}

CLI::App& CommandLine::add(const std::string& name, const std::string& description, const std::string& example, Action action) {
  return add_to(root_, name, description, example, std::move(action));
}

CLI::App& CommandLine::add_group(const std::string& name, const std::string& description) {
  CLI::App* group = root_.add_subcommand(name, description);
  group->set_help_flag("--help,-h", "this text");
  return *group;
}

CLI::App& CommandLine::add_to(CLI::App& group, const std::string& name, const std::string& description, const std::string& example, Action action) {
  commands_.push_back(std::make_unique<Command>());
  Command& command = *commands_.back();
  command.app = group.add_subcommand(name, description);
  command.action = std::move(action);
  command.app->set_help_flag("--help,-h", "this text");
  command.app->footer("Example:\n  " + example);
  command.app->add_flag("--json", command.json, "print one JSON document and nothing else on standard output");
  command.app->add_option("--log", command.log_level, "least serious messages to show")->check(CLI::IsMember(log_level_names()))->capture_default_str();
  return *command.app;
}

int CommandLine::run(int argc, const char* const* argv) {
  const CLI::App* chosen = check_words(root_, argc, argv);
  try {
    root_.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    Output(false).print("{}\n", version.what());
    return 0;
  } catch (const CLI::CallForHelp&) {
    std::string typed;
    for (const CLI::App* parent = chosen->get_parent(); parent != nullptr; parent = parent->get_parent())
      typed = parent->get_name() + (typed.empty() ? "" : " " + typed);
    Output(false).print("{}", chosen->help(typed));
    return 0;
  } catch (const CLI::ParseError& e) {
    const std::string where = whole_name(*chosen);
    throw Error(parse_message(e, root_, *chosen) + ": " + where + ": '" + where + " --help' shows the flags and an example");
  }
  refuse_empty_values(*chosen);
  for (const auto& command : commands_) {
    if (!command->app->parsed()) continue;
    const auto& names = log_level_names();
    set_log_level(static_cast<LogLevel>(std::find(names.begin(), names.end(), command->log_level) - names.begin()));
    Output out(command->json);
    return command->action(out);
  }
  if (chosen != &root_)
    throw Error("a command is missing after '" + chosen->get_name() + "': wari " + chosen->get_name() + ": known are its commands in 'wari " +
                chosen->get_name() + " --help'");
  throw Error("a command is missing: after 'wari': 'wari --help' lists them");
}

int run_program(int argc, const char* const* argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that grows beyond what the shell allows is an error of that write
  try {
    CommandLine line;
    for (AddCommand add : kCommands) add(line);
    return line.run(argc, argv);
  } catch (const Error& e) {
    print_error(e.what());
    return static_cast<int>(e.kind());
  } catch (const std::bad_alloc&) {
    print_error("out of memory: this machine: use fewer lanes or a smaller network (--set selfplay.lanes=N, network.width=N)");
  } catch (const std::filesystem::filesystem_error& e) {
    print_error(e.code().message() + ": " + quote(e.path1().string()) + ": check the path, its permissions and the space on the disk");
    return status_of(e.code());
  } catch (const std::exception& e) {
    print_error(first_line(e.what()) + ": unexpected: please report it with the command line");
  }
  return kFailed;
}

}  // namespace wari
