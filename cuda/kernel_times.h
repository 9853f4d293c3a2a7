#pragma once

#include <map>
#include <string>
#include <string_view>

namespace wari {

// How long kernels of the search took, added up by name, while CudaSwitches::times points here.
struct KernelTimes {
  struct Sum {
    double milliseconds = 0;
    int launches = 0;
  };
  std::map<std::string, Sum> kernels;
};

// "TurnStep" of wari::TurnStep<...>.
template <class Step>
std::string step_name() {
  const std::string_view text = __PRETTY_FUNCTION__;  // "... [with Step = wari::TurnStep<...>; ...", with the namespace or without
  const std::size_t first = text.find("Step = ") + 7;
  const std::string_view name = text.substr(first, text.find_first_of("<;]", first) - first);
  return std::string(name.substr(name.rfind(':') + 1));  // all of it where there is none
}

}  // namespace wari
