#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "core/config.h"
#include "core/notation.h"
#include "core/tokens.h"
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

bool writes_documents() {
  const char* write = std::getenv("WARI_WRITE_DOCUMENTS");
  return write != nullptr && std::string(write) == "1";
}

TEST(Documents, NameOnlyFilesThatExist) {
  const std::regex path(
      "\\b((core|endgame|search|cuda|selfplay|arena|train|app|configs|tests|scripts|docs|cmake)/[A-Za-z0-9_./-]*\\.(h|cpp|cu|md|py|sh|yaml|txt|cmake))\\b");
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

// docs/configuration.md as it follows from the field lists: one row a key.
std::string configuration_page() {
  TrainingSettings settings;
  std::string page =
      "# Configuration\n\nEvery key of a configuration file (`--config`) with its default, what it may be, and what it means; a dot stands for a level of "
      "indentation, and `--set KEY=VALUE` overrides one.\n"
      "Unknown, duplicate and mistyped keys and values out of range are refused with file and line. `configs/*.yaml` give the reasons for the values that "
      "matter.\n"
      "This page is written by the test `Documents.EveryKeyOfTheConfigurationIsExplained` when `WARI_WRITE_DOCUMENTS=1` is set.\n\n"
      "| key | default | allowed | meaning |\n|---|---|---|---|\n";
  for (const ConfigField& field : config_fields(settings)) {
    page += field.allowed.empty() ? "| **`" + field.key + "`** | | | " : "| `" + field.key + "` | " + field.value + " | " + field.allowed + " | ";
    page += field.comment + " |\n";
  }
  return page;
}

TEST(Documents, EveryKeyOfTheConfigurationIsExplained) {
  const fs::path file = kRoot / "docs" / "configuration.md";
  if (writes_documents()) std::ofstream(file) << configuration_page();
  const std::string documented = content(file);
  TrainingSettings settings;
  const auto fields = config_fields(settings);
  EXPECT_GT(fields.size(), 30u);
  for (const ConfigField& field : fields) {
    EXPECT_GT(field.comment.size(), 8u) << field.key;
    EXPECT_NE(documented.find("`" + field.key + "`"), std::string::npos)
        << field.key << " is missing in docs/configuration.md: run this test with WARI_WRITE_DOCUMENTS=1";
  }
}

// The programs of docs/export.md are files that tests run; the document shows each behind its link, to the letter. WARI_WRITE_DOCUMENTS=1 puts them there.
TEST(Documents, ShowTheExamplesAsTheyAre) {
  const fs::path file = kRoot / "docs" / "export.md";
  const std::vector<fs::path> examples = files_in("docs/examples", ".py");
  EXPECT_GE(examples.size(), 2u);
  for (const fs::path& example : examples) {
    std::string document = content(file);
    const std::size_t link = document.find("](examples/" + example.filename().string() + ")"), fence = document.find("```python\n", link), end = document.find("\n```\n", fence);
    ASSERT_TRUE(link != std::string::npos && fence != std::string::npos && end != std::string::npos) << example;
    const std::size_t begin = fence + std::string("```python\n").size();
    if (writes_documents()) std::ofstream(file) << document.replace(begin, end + 1 - begin, content(example));
    EXPECT_EQ(document.compare(begin, content(example).size() + 4, content(example) + "```\n"), 0) << example << " is shown otherwise: run this test with WARI_WRITE_DOCUMENTS=1";
  }
}

TEST(Documents, EncodeTheirExampleAsTheEngineDoes) {
  const std::string text = "1-3-2-1-2-1-1-2-2-0-6-1-14-12-N", document = content(kRoot / "docs" / "export.md");
  EXPECT_NE(document.find("`" + text + "` under `abapa`, 30 plies after the last capture"), std::string::npos);
  const Rules rules = parse_rules("abapa");
  Token tokens[kTokens];
  encode_board(sowing_tables(), rules, parse_position(text, rules), 30, tokens);
  encode_rules(rules, tokens + kBoardTokens);
  const std::regex row("\n\\| (\\d+) \\| [^|\n]* \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|");
  int place = 0;
  for (auto match = std::sregex_iterator(document.begin(), document.end(), row); match != std::sregex_iterator() && place < kTokens; ++match, ++place) {
    EXPECT_EQ(std::stoi((*match)[1]), place);
    EXPECT_EQ(std::stoi((*match)[2]) + std::stoi((*match)[3]), std::stoi((*match)[4])) << place;
    EXPECT_EQ(std::stoi((*match)[4]), tokens[place]) << place;
  }
  EXPECT_EQ(place, kTokens);
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
