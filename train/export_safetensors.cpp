#include "train/export_safetensors.h"

#include "train/safetensors.h"
#include "train/state_tensors.h"

namespace wari {

std::string safetensors_file(const ExportedModel& model) {
  SafeTensors file;
  write_tensors(model.layout, model.weights, "", file);
  file.metadata = metadata_texts(model);
  const std::vector<std::byte> bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wari
