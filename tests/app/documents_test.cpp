#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "core/config.h"
#include "train/training_settings.h"

// What is written for people must fit what is there.
namespace wari {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = WARI_SOURCE_DIR;

std::string content(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> files_in(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  return files;
}

TEST(Documents, NameOnlyFilesThatExist) {
  const std::regex path("\\b((core|endgame|search|cuda|selfplay|arena|train|app|configs|tests|scripts|docs|cmake)/[A-Za-z0-9_./-]*\\.(h|cpp|cu|md|sh|yaml|txt|cmake))\\b");
  std::vector<fs::path> documents = files_in("docs", ".md");
  documents.push_back(kRoot / "README.md");
  int checked = 0;
  for (const fs::path& document : documents) {
    const std::string text = content(document);
    for (auto match = std::sregex_iterator(text.begin(), text.end(), path); match != std::sregex_iterator(); ++match) {
      const std::string name = (*match)[1];
      if (name.find("NAME") != std::string::npos) continue;
      EXPECT_TRUE(fs::exists(kRoot / name)) << document.filename() << " names " << name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(Documents, EveryKeyOfTheConfigurationIsExplained) {
  TrainingSettings settings;
  std::string documented = content(kRoot / "docs" / "training.md");
  for (const fs::path& file : files_in("configs", ".yaml")) documented += content(file);
  const auto fields = config_fields(settings);
  EXPECT_GT(fields.size(), 30u);
  for (const ConfigField& field : fields) {
    EXPECT_GT(field.comment.size(), 8u) << field.key;
    const std::string name = field.key.substr(field.key.rfind('.') + 1);
    EXPECT_TRUE(std::regex_search(documented, std::regex("\\b" + name + "\\b"))) << field.key << " stands neither in docs/training.md nor in a file of configs";
  }
}

TEST(Configs, AreValidAndSurviveBeingWrittenAndRead) {
  for (const fs::path& file : files_in("configs", ".yaml")) {
    TrainingSettings settings, again;
    ASSERT_NO_THROW(load_config(settings, ConfigSource::from_file(file))) << file;
    ASSERT_NO_THROW(load_config(again, ConfigSource::from_text(config_yaml(settings), "written"))) << file;
    EXPECT_EQ(config_values(again), config_values(settings)) << file;
  }
}

}  // namespace
}  // namespace wari
