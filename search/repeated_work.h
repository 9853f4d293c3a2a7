#pragma once

#include <optional>
#include <string>

#include "core/error.h"

namespace wari {

// One line of log; not in the template because nvcc cannot check fmt's format strings.
void warn_without_graphs(const std::string& why);

// Work that a device is given again and again, always the same. The first time it is launched kernel by kernel, so that every kernel has been loaded; then it is captured into a graph,
// which costs the processor one launch. Where that fails, one warning, and kernels from then on.
template <class Graph>
class RepeatedWork {
 public:
  explicit RepeatedWork(bool graphs) : graphs_(graphs) {}

  // `enqueue` puts the work on the device's stream. `capture` makes it a graph and puts nothing there, or throws Error; `launch` puts a graph there.
  template <class Enqueue, class Capture, class Launch>
  void run(const Enqueue& enqueue, const Capture& capture, const Launch& launch) {
    if (graphs_ && warm_ && !graph_) {
      try {
        graph_ = capture(enqueue);
      } catch (const Error& error) {
        graphs_ = false;
        warn_without_graphs(error.what());
      }
    }
    if (graph_) {
      launch(*graph_);
    } else {
      enqueue();
    }
    warm_ = true;
  }

  // The work changes.
  void forget() {
    graph_.reset();
    warm_ = false;
  }

 private:
  bool graphs_;
  bool warm_ = false;
  std::optional<Graph> graph_;
};

}  // namespace wari
