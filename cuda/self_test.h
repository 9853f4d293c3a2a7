#pragma once

#include <string>

// Does the GPU do what the CPU does? A wrong driver, a broken card or a build for other devices shows here, before anybody trains on what comes out.
namespace wari {

struct SelfTest {
  std::string fault;   // what differs, and what to do; empty: nothing
  std::string detail;  // what was compared
};

// All throw Error without a GPU, or where a kernel fails.
SelfTest test_device_rules(int games);
// A matrix product of small whole numbers, which must be exact.
SelfTest test_device_product();
// Whole games with the hash evaluator, both algorithms, several rule sets, every move compared.
SelfTest test_device_trees(int games);

}  // namespace wari
