#pragma once

#include <cstdio>
#include <regex>
#include <string>
#include <vector>

// What the compiler made of a room's kernels, where there is a cuobjdump.
namespace wari::test {

struct MachineCode {
  std::string architecture;
  std::string function;  // mangled
  int registers = 0, stack = 0, local = 0;
};

#ifdef WARI_CUOBJDUMP
// What cuobjdump with this option says of a room's library, line by line.
template <class Line>
void read_dump(const std::string& room, const std::string& option, const Line& line) {
  const std::string command = "'" WARI_CUOBJDUMP "' " + option + " '" WARI_BINARY_DIR "/libwari_" + room + ".a' 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return;
  char buffer[8192];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) line(std::string(" ") + buffer);
  ::pclose(pipe);
}

inline std::vector<MachineCode> machine_codes(const std::string& room) {
  std::vector<MachineCode> codes;
  const std::regex architecture("arch = (sm_[0-9]+)"), function(" Function ([^:]+):"), usage("REG:([0-9]+) STACK:([0-9]+) .*LOCAL:([0-9]+)");
  MachineCode code;
  read_dump(room, "-res-usage", [&](const std::string& line) {
    std::smatch found;
    if (std::regex_search(line, found, architecture)) code.architecture = found[1];
    if (std::regex_search(line, found, function)) code.function = found[1];
    if (std::regex_search(line, found, usage)) {
      code.registers = std::stoi(found[1]);
      code.stack = std::stoi(found[2]);
      code.local = std::stoi(found[3]);
      codes.push_back(code);
    }
  });
  return codes;
}

// A kernel's intermediate code, which is the same for every device.
struct Ptx {
  std::string function;  // mangled
  int wide_loads = 0;    // of 128 bits
  int doubles = 0;       // instructions of float64
};

inline std::vector<Ptx> intermediate_codes(const std::string& room) {
  std::vector<Ptx> codes;
  const std::regex entry("\\.entry (\\w+)"), wide("ld\\.[a-z.]*\\.v4\\.[bfus]32"), wide_of_64("ld\\.[a-z.]*\\.v2\\.[bfus]64");
  read_dump(room, "-ptx", [&](const std::string& line) {
    std::smatch found;
    if (std::regex_search(line, found, entry)) codes.push_back({found[1]});
    if (codes.empty()) return;
    codes.back().wide_loads += std::regex_search(line, wide) || std::regex_search(line, wide_of_64) ? 1 : 0;
    codes.back().doubles += line.find(".f64") != std::string::npos ? 1 : 0;
  });
  return codes;
}
#endif

}  // namespace wari::test
