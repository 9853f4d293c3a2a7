#include "train/choose_device.h"

#include "core/error.h"
#include "core/log.h"
#include "cuda/device.h"
#include "train/device_self_test.h"

namespace wari {
namespace {

std::string fault_of(const DeviceProbe& probe) {
  try {
    return probe.fault();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

bool choose_device(const std::string& wanted, const DeviceProbe& probe) {
  if (wanted == "cpu") return false;
  const bool must = wanted == "cuda";
  const std::string missing = probe.missing();
  if (!missing.empty()) {
    if (must) throw Error(missing + ": device 'cuda': use the CPU (--device cpu, --set device=cpu), or check the driver with nvidia-smi");
    log_warning("device auto: the CPU is used: {}", missing);
    return false;
  }
  const std::string fault = fault_of(probe);
  if (fault.empty()) return true;
  if (must) throw system_error("the GPU computes wrongly: " + fault + " ('wari doctor' tells more)");
  log_warning("device auto: the CPU is used: the GPU computes wrongly: {} ('wari doctor' tells more)", fault);
  return false;
}

DeviceProbe device_probe(TrunkKind kind, const std::string& precision, bool learns) {
  DeviceProbe probe;
  probe.missing = [precision] {
    const std::string why = why_no_device();
    return why.empty() && precision == "int8" ? "precision int8 is arithmetic of the CPU" : why;
  };
  probe.fault = [kind, learns]() -> std::string {
    using Test = std::function<SelfTest()>;
    const Test tests[] = {[] { return test_device_rules(2000); }, test_device_product, [] { return test_device_trees(512); }, [kind] { return test_device_network(kind); },
                          [learns] { return learns ? test_device_batches() : SelfTest{}; }, [learns] { return learns ? test_learning(LearnsOn::cuda) : SelfTest{}; }};
    for (const Test& test : tests) {
      const std::string fault = test().fault;
      if (!fault.empty()) return fault;
    }
    return "";
  };
  return probe;
}

}  // namespace wari
