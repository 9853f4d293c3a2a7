#include "search/think_tree.h"

namespace wari {

std::unique_ptr<ThinkTree> make_think_tree(const ThinkerSettings& settings, const Rules& rules, bool tokens) {
  if (rules.action_count() > kPits) return std::make_unique<ThinkTreeOf<WideNode12>>(settings, rules, tokens);
  return std::make_unique<ThinkTreeOf<WideNode6>>(settings, rules, tokens);
}

}  // namespace wari
