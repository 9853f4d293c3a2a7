#pragma once

#include <span>
#include <string>
#include <vector>

#include "train/network.h"
#include "train/safetensors.h"

// Flat buffers to and from named tensors.
namespace wari {

// Adds a copy of every tensor of `flat` [layout.size()] as prefix + name.
void write_tensors(const NetworkLayout& layout, std::span<const float> flat, const std::string& prefix, SafeTensors& file);
// The other way; check_tensors() first. Padding is left as it is.
void read_tensors(const NetworkLayout& layout, const std::string& prefix, const SafeTensors& file, std::span<float> flat);
// Throws Error that lists what is missing, unexpected or differs in shape or type; `others` are tensors besides the network's.
void check_tensors(const NetworkLayout& layout, const std::vector<std::string>& prefixes, const std::vector<std::string>& others, const SafeTensors& file,
                   const std::string& name);

}  // namespace wari
