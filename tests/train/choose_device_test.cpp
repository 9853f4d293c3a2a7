#include "train/choose_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"

namespace wari {
namespace {

using testing::HasSubstr;

DeviceProbe probe_of(const std::string& missing, const std::string& fault) {
  return {[missing] { return missing; }, [fault] { return fault; }};
}

struct Choice {
  bool device = false;
  std::string log;
};

Choice choice(const std::string& wanted, const DeviceProbe& probe) {
  testing::internal::CaptureStderr();
  const bool device = choose_device(wanted, probe);
  return {device, testing::internal::GetCapturedStderr()};
}

TEST(ChooseDevice, AutoTakesAGpuThatWorksAndElseTheCpuWithOneLine) {
  const Choice fine = choice("auto", probe_of("", "")), none = choice("auto", probe_of("no CUDA device", "")), wrong = choice("auto", probe_of("", "lane 3, wave 5"));
  const Choice broken = choice("auto", {[] { return ""; }, []() -> std::string { throw system_error("an illegal address"); }});
  EXPECT_TRUE(fine.device);
  EXPECT_EQ(fine.log, "");
  for (const auto& [got, word] : {std::pair{none, "no CUDA device"}, std::pair{wrong, "lane 3, wave 5"}, std::pair{broken, "an illegal address"}}) {
    EXPECT_FALSE(got.device);
    EXPECT_EQ(std::count(got.log.begin(), got.log.end(), '\n'), 1) << got.log;
    EXPECT_THAT(got.log, HasSubstr("device auto: the CPU is used"));
    EXPECT_THAT(got.log, HasSubstr(word));
  }
}

TEST(ChooseDevice, CudaIsThereOrAnError) {
  EXPECT_TRUE(choice("cuda", probe_of("", "")).device);
  try {
    choose_device("cuda", probe_of("no CUDA device", ""));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("device 'cuda'"));
  }
  try {
    choose_device("cuda", probe_of("", "wrong rules"));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::system);
    EXPECT_THAT(error.what(), HasSubstr("wrong rules"));
  }
}

TEST(ChooseDevice, CpuAsksNobody) {
  const auto refuse = []() -> std::string { throw std::logic_error("asked"); };
  EXPECT_FALSE(choice("cpu", {refuse, refuse}).device);
}

TEST(ChooseDevice, WithoutAGpuTheProbeSaysWhy) {
  const DeviceProbe probe = device_probe(TrunkKind::mlp, "auto", true);
  if (probe.missing().empty()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_THAT(probe.missing(), testing::AnyOf(HasSubstr("no CUDA device"), HasSubstr("no CUDA side")));
}

}  // namespace
}  // namespace wari
