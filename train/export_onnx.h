#pragma once

#include <string>

#include "train/exported_model.h"

namespace wari {

// The network as an ONNX file in float32: the operations of NetworkModule::forward() with the tensors under the module's names. Convolutions are the one exception: ONNX
// wants their weights as [out, in, taps]. Throws Error where the network is larger than a file of this format can be.
std::string onnx_file(const ExportedModel& model);

}  // namespace wari
