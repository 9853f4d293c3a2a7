#include <algorithm>
#include <optional>
#include <thread>

#include "app/commands.h"
#include "cuda/device.h"
#include "cuda/device_network.h"
#include "cuda/self_test.h"
#include "cuda/selfplay_engine.h"
#include "search/signature.h"
#include "train/device_self_test.h"
#include "train/device_window.h"
#include "train/machine_speed.h"
#include "train/memory_need.h"
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

// The configuration's need against what is free (0: nobody knows).
Check judged(const std::string& name, const std::string& config, const MemoryNeed& need, double free_mib, const char* remedy) {
  const double needed = need.total() / kMiB;
  const bool enough = free_mib == 0 || needed < free_mib;
  return {name, enough, fmt::format("'{}' needs about {:.0f} MiB at most ({}), {:.0f} MiB are free{}", config, needed, need.text(), free_mib, enough ? "" : remedy)};
}

// Both are told before anything is allocated on the GPU.
void check_memory(const DoctorOptions& options, std::vector<Check>& checks) {
  if (options.config.empty()) {
    checks.push_back({"memory", std::nullopt, "name a configuration with --config to see what it needs"});
    return;
  }
  const TrainingSettings settings = read_training_settings(options.config, {"device=auto"});  // whether there is a GPU is another check's
  const bool cuda = options.device != "cpu" && !devices().empty();
  checks.push_back(judged("memory", options.config, host_memory_need(settings, cuda), free_memory_mib(), ": lower selfplay.lanes or replay.window_max"));
  if (cuda) {
    const auto free = static_cast<double>(free_device_memory());
    const bool window = window_fits_on_device(settings, free);
    checks.push_back(judged("GPU memory", options.config, device_memory_need(settings, window), free / kMiB, ": lower selfplay.lanes, selfplay.simulations or trainer.batch"));
    if (!window) checks.back().detail += "; the replay window does not fit beside that, so batches are encoded on the CPU";
  } else {
    const MemoryNeed need = device_memory_need(settings);
    checks.push_back({"GPU memory", std::nullopt, fmt::format("on a GPU '{}' would need about {:.0f} MiB at most ({})", options.config, need.total() / kMiB, need.text())});
  }
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
  std::vector<KernelImage> images = search_kernel_images();
  for (KernelImage& image : network_kernel_images()) images.push_back(std::move(image));
  for (KernelImage& image : window_kernel_images()) images.push_back(std::move(image));
  std::size_t local = 0;
  int registers = 0;
  std::string largest = "none";
  for (const KernelImage& image : images) {
    if (image.local_bytes > local) largest = image.name;
    local = std::max(local, image.local_bytes);
    registers = std::max(registers, image.registers);
    if (!image.error.empty()) faults += fmt::format("{}'{}': {}", faults.empty() ? "" : "; ", image.name, image.error);
  }
  if (!faults.empty()) return {"kernels", false, faults + ": build with -DCMAKE_CUDA_ARCHITECTURES=native"};
  return {"kernels", true, fmt::format("{} run on this device, with at most {} registers and {} bytes of local memory a thread ({})", images.size(), registers, local, largest)};
}

Check check_of(const std::string& name, const SelfTest& test) { return {name, test.fault.empty(), test.fault.empty() ? test.detail : test.fault}; }

Check check_device_rules() { return check_of("rules on the GPU", test_device_rules(20000)); }
Check check_device_product() { return check_of("product on the GPU", test_device_product()); }
Check check_device_learning() { return check_of("learning on the GPU", test_learning(LearnsOn::cuda)); }
Check check_device_batches() { return check_of("batches on the GPU", test_device_batches()); }
Check check_device_mlp() { return check_of("mlp on the GPU", test_device_network(TrunkKind::mlp)); }
Check check_device_conv() { return check_of("conv on the GPU", test_device_network(TrunkKind::conv)); }
Check check_device_trees() { return check_of("trees on the GPU", test_device_trees(1024)); }

int run_doctor(const DoctorOptions& options, Output& out) {
  std::vector<Check> checks{check_processor(), check_torch()};
  check_memory(options, checks);
  checks.push_back(check_device(options.device));
  if (checks.back().ok.value_or(false)) {
    for (Check (*check)() : {check_kernels, check_device_rules, check_device_trees, check_device_product, check_device_mlp, check_device_conv, check_device_batches, check_device_learning}) {
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
