#include <algorithm>
#include <optional>
#include <thread>

#include "app/commands.h"
#include "cuda/device.h"
#include "cuda/self_test.h"
#include "cuda/selfplay_engine.h"
#include "search/signature.h"
#include "train/device_self_test.h"
#include "train/machine_speed.h"
#include "train/training_settings.h"

namespace wari {
namespace {

struct DoctorOptions {
  std::string device = "auto";
  std::string config;
};

struct Check {
  std::string name;
  std::optional<bool> ok;  // none: does not apply here
  std::string detail;
};

constexpr double kMiB = 1 << 20;

Check check_processor() {
  const std::uint64_t signature = search_signature();
  std::string detail = fmt::format("cores: {}; signature {:016x}", std::max(1u, std::thread::hardware_concurrency()), signature);
  if (signature != kSearchSignature) detail += fmt::format(" instead of {:016x}: this build searches wrongly; build again, and report the compiler if that does not help", kSearchSignature);
  return {"search on the CPU", signature == kSearchSignature, detail};
}

Check check_torch() {
  const std::string version = torch_version();
  return {"LibTorch", true, version};
}

// Memory of the machine that is free, in MiB; 0 where it cannot be told.
double free_memory_mib() {
  std::FILE* const file = std::fopen("/proc/meminfo", "r");
  if (file == nullptr) return 0;
  char line[256];
  double kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "MemAvailable: %lf", &kib) == 1) break;
  }
  std::fclose(file);
  return kib / 1024;
}

// What `wari train` with these settings will hold, roughly: trees, window, and three copies of the network with its optimiser are small beside them.
double needed_mib(const TrainingSettings& settings) {
  const double node_bytes = 128;
  const double simulations = std::max(settings.selfplay.play.simulations, settings.selfplay.play.capped_simulations) + 1;
  const double trees = settings.selfplay.lanes * (simulations * node_bytes + 1500);
  const double window = static_cast<double>(settings.replay.window_max) * 70;
  return (trees + window) / kMiB + 300;
}

Check check_memory(const std::string& config) {
  if (config.empty()) return {"memory", std::nullopt, "name a configuration with --config to see what it needs"};
  const TrainingSettings settings = read_training_settings(config, {});
  const double needed = needed_mib(settings), free = free_memory_mib();
  const bool enough = free == 0 || needed < free;
  return {"memory", enough, fmt::format("'{}' needs about {:.0f} MiB at most, {:.0f} MiB are free{}", config, needed, free, enough ? "" : ": lower selfplay.lanes or replay.window_max")};
}

Check check_device(const std::string& wanted) {
  const CudaVersions versions = cuda_versions();
  const std::vector<Device> found = wanted == "cpu" ? std::vector<Device>{} : devices();
  if (wanted == "cpu") return {"GPU", std::nullopt, "not asked for"};
  if (found.empty()) {
    const std::string detail = built_with_cuda() ? fmt::format("none found; driver {}, this build's runtime {}", versions.driver, versions.runtime) : "this build has no CUDA side";
    if (wanted == "cuda") return {"GPU", false, detail + ": 'device: cuda' cannot work here; 'device: cpu' does without"};
    return {"GPU", std::nullopt, detail + ": games are played and networks trained on the CPU"};
  }
  const Device& device = found.front();
  return {"GPU", true, fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.0f} MiB of {:.0f} free; driver {}, runtime {}", device.name, device.capability_major,
                                   device.capability_minor, device.multiprocessors, static_cast<double>(free_device_memory()) / kMiB, static_cast<double>(device.memory_bytes) / kMiB,
                                   versions.driver, versions.runtime)};
}

Check check_kernels() {
  std::string faults;
  const std::vector<KernelImage> images = search_kernel_images();
  std::size_t local = 0;
  for (const KernelImage& image : images) {
    local = std::max(local, image.local_bytes);
    if (!image.error.empty()) faults += fmt::format("{}'{}': {}", faults.empty() ? "" : "; ", image.name, image.error);
  }
  if (!faults.empty()) return {"kernels", false, faults + ": build with -DCMAKE_CUDA_ARCHITECTURES=native"};
  return {"kernels", true, fmt::format("{} run on this device, at most {} bytes of local memory a thread", images.size(), local)};
}

Check check_of(const std::string& name, const SelfTest& test) { return {name, test.fault.empty(), test.fault.empty() ? test.detail : test.fault}; }

Check check_device_rules() { return check_of("rules on the GPU", test_device_rules(20000)); }
Check check_device_learning() { return check_of("learning on the GPU", test_learning(LearnsOn::cuda)); }
Check check_device_mlp() { return check_of("mlp on the GPU", test_device_network(TrunkKind::mlp)); }
Check check_device_conv() { return check_of("conv on the GPU", test_device_network(TrunkKind::conv)); }
Check check_device_trees() { return check_of("trees on the GPU", test_device_trees(1024)); }

int run_doctor(const DoctorOptions& options, Output& out) {
  std::vector<Check> checks{check_processor(), check_torch(), check_memory(options.config), check_device(options.device)};
  if (checks.back().ok.value_or(false)) {
    for (Check (*check)() : {check_kernels, check_device_rules, check_device_trees, check_device_mlp, check_device_conv, check_device_learning}) {
      try {
        checks.push_back(check());
      } catch (const std::exception& error) {
        checks.push_back({"GPU", false, error.what()});
        break;  // after a failed kernel nothing else of the device can be trusted
      }
    }
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  bool fit = true;
  for (const Check& check : checks) {
    fit &= check.ok.value_or(true);
    out.print("{:<5} {:<19} {}\n", !check.ok ? "-" : *check.ok ? "ok" : "FAIL", check.name, check.detail);
    list.push_back({{"name", check.name}, {"ok", check.ok ? nlohmann::ordered_json(*check.ok) : nlohmann::ordered_json(nullptr)}, {"detail", check.detail}});
  }
  out.print("{}\n", fit ? "this machine is fit to train" : "this machine is not fit to train: mend what FAIL names, and run the command again");
  if (out.json()) out.document({{"checks", list}});
  return fit ? 0 : 1;
}

}  // namespace

void add_doctor_command(CommandLine& line) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App& command = line.add("doctor", "tells whether this machine is fit to train", "wari doctor --config configs/cpu.yaml", [options](Output& out) { return run_doctor(*options, out); });
  command.add_option("--device", options->device, "auto: a GPU is looked at if there is one; cuda: there must be one")->check(CLI::IsMember({"auto", "cpu", "cuda"}))->capture_default_str();
  command.add_option("--config", options->config, "configuration whose need of memory is told");
}

}  // namespace wari
