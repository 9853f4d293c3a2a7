#pragma once

#include <string>

#include "train/exported_model.h"

namespace wari {

// The weights as a safetensors file in float32: the module's tensors by its own names and in its own shapes, without prefix, and the metadata. What the network does with
// them is told in docs/export.md.
std::string safetensors_file(const ExportedModel& model);

}  // namespace wari
