#include <filesystem>

#include "app/commands.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "train/export_onnx.h"
#include "train/export_safetensors.h"

namespace wari {
namespace {

struct ExportOptions {
  std::string checkpoint;
  std::string format;
  std::string file;
};

// Before anything is read: what must not be written over, and where nothing can be written.
void check_target(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  if (fs::is_directory(file)) throw Error("a folder, not a file: '" + file.string() + "': give the name of a file, e.g. '" + (file / "model.onnx").string() + "'");
  if (fs::exists(file) && !fs::is_regular_file(file)) throw Error("not a file that can be replaced: '" + file.string() + "': name another with --out");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) throw Error("no such folder: '" + folder.string() + "': make it first, or name another file with --out");
  if (fs::exists(folder / "checkpoint.json")) throw Error("a checkpoint's folder: '" + folder.string() + "': what lies there is not written over; name a file elsewhere with --out");
  const fs::path kind = file.extension();
  if (fs::exists(file) && kind != ".onnx" && kind != ".safetensors")
    throw Error("what stands there may be no model, and is not written over: '" + file.string() + "': name a new file, or one that ends in .onnx or .safetensors");
}

nlohmann::ordered_json ports_json(const std::vector<ModelPort>& ports) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModelPort& port : ports) {
    nlohmann::ordered_json shape = {"batch"};
    for (const std::int64_t extent : port.shape) shape.push_back(extent);
    list.push_back({{"name", port.name}, {"shape", shape}, {"type", port.type}, {"meaning", port.meaning}});
  }
  return list;
}

void print_ports(const char* what, const std::vector<ModelPort>& ports, Output& out) {
  for (const ModelPort& port : ports) {
    std::string shape = "batch";
    for (const std::int64_t extent : port.shape) shape += fmt::format(", {}", extent);
    out.print("  {} {:<14} {:<7} [{}]\n", what, port.name, port.type, shape);
  }
}

int run_export(const ExportOptions& options, Output& out) {
  check_target(options.file);
  const ExportedModel model = load_exported_model(options.checkpoint);
  const std::string bytes = options.format == "onnx" ? onnx_file(model) : safetensors_file(model);
  write_file_durably(options.file, bytes);
  out.print("'{}': {}, iteration {}, {} bytes of {}\n", options.file, network_name(model.layout.settings()), model.metadata["iteration"].get<std::int64_t>(), bytes.size(), options.format);
  print_ports("input ", model_inputs(), out);
  print_ports("output", model_outputs(), out);
  out.print("docs/export.md tells what the numbers mean\n");
  if (out.json()) {
    out.document({{"file", options.file}, {"format", options.format}, {"bytes", bytes.size()}, {"inputs", ports_json(model_inputs())}, {"outputs", ports_json(model_outputs())},
                  {"metadata", model.metadata}});
  }
  return 0;
}

}  // namespace

void add_export_command(CommandLine& line) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App& command = line.add("export", "writes a checkpoint's network for other programs: ONNX or safetensors", "wari export --checkpoint runs/quickstart --format onnx --out model.onnx",
                               [options](Output& out) { return run_export(*options, out); });
  command.add_option("--checkpoint", options->checkpoint, "a checkpoint's folder, a run's (its newest), or RUN@best")->required();
  command.add_option("--format", options->format, "onnx (runs as it is) or safetensors (the weights alone)")->required()->check(CLI::IsMember({"onnx", "safetensors"}));
  command.add_option("--out", options->file, "the file; replaced as a whole where it exists")->required();
}

}  // namespace wari
