#include "search/repeated_work.h"

#include "core/log.h"

namespace wari {

void warn_without_graphs(const std::string& why) { log_warning("the waves could not be made a CUDA graph ({}): kernels are launched one by one, which is slower", why); }

}  // namespace wari
