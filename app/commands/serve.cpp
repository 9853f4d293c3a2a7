#include <chrono>
#include <thread>

#include "app/commands.h"
#include "app/server/host_check.h"
#include "app/server/web_server.h"
#include "core/log.h"
#include "train/stop_request.h"

namespace wari {
namespace {

struct ServeOptions {
  std::string run;
  std::string checkpoint;
  std::string rules;
  std::string pages;
  std::string host = HttpSettings{}.host;
  int port = 8320;
  int threads = 0;
};

int run_serve(const ServeOptions& options, Output& out) {
  const StopRequest stop;
  WebServerSettings settings;
  settings.api.run = options.run;
  settings.api.checkpoint = options.checkpoint;
  settings.api.rules = options.rules;
  settings.api.searches.pool.threads = options.threads;
  settings.http.host = options.host;
  settings.http.port = options.port;
  settings.pages = options.pages;
  const WebServer server(settings);
  if (!is_loopback(options.host)) log_warning("whoever reaches this machine over the network can use this server: --host {}", options.host);
  out.print("wari serves at {}\n", server.url());
  out.document({{"url", server.url()}, {"host", options.host}, {"port", server.port()}});
  while (!stop.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return kSignalExit + stop.signal();
}

}  // namespace

void add_serve_command(CommandLine& line) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App& command = line.add("serve", "play, analyse and watch training in a browser", "wari serve --run runs/quickstart", [options](Output& out) { return run_serve(*options, out); });
  command.add_option("--run", options->run, "a run's folder: its checkpoints play, its training is shown; it may be going on");
  command.add_option("--checkpoint", options->checkpoint, "who plays: a checkpoint's folder, a run's (its newest), or RUN@best; default: the run's newest; without both random games judge");
  command.add_option("--rules", options->rules, "rule set of new games; default: what the checkpoint was trained on");
  command.add_option("--host", options->host, "address to listen on; any but the default opens the server to the network")->capture_default_str();
  command.add_option("--port", options->port, "port; 0: any that is free")->check(CLI::Range(0, 65535))->capture_default_str();
  command.add_option("--threads", options->threads, "of a search; 0: one per core")->check(CLI::Range(0, 1024))->capture_default_str();
  command.add_option("--pages", options->pages, "for work on the pages: serve them from this folder, not from the program");
}

}  // namespace wari
