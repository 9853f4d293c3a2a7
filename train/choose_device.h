#pragma once

#include <functional>
#include <string>

#include "train/network.h"

namespace wari {

// What is known of this machine's GPU.
struct DeviceProbe {
  std::function<std::string()> missing;  // why there is none to work on; "" if there is one
  std::function<std::string()> fault;    // what it computes wrongly; "" if nothing; may throw Error
};

// Does a command work on the GPU? `wanted`: cpu; cuda: an Error where there is none or it computes wrongly; auto: the GPU where there is one that works, else the CPU and one warning that
// says why.
bool choose_device(const std::string& wanted, const DeviceProbe& probe);

// The first GPU, which must compute as the CPU does: rules, matrix products, whole games, and a network of `kind`; `learns`: optimiser steps too. `precision`: what the GPU lacks is
// a reason for the CPU.
DeviceProbe device_probe(TrunkKind kind, const std::string& precision, bool learns);

}  // namespace wari
