#pragma once

#include "search/plain_kernel.h"
#include "search/steps.h"

namespace wari {

// The steps of a search lane by lane, for executors that have none of their own: bases of theirs.
struct PlainSteps {
  using Kernel = PlainKernel;
  template <class N>
  using OpenStep = wari::OpenStep<PlainKernel, N>;
  template <class N>
  using BackupStep = wari::BackupStep<PlainKernel, N>;
  template <class N>
  using DescendStep = wari::DescendStep<N>;
  template <class N>
  using EncodeStep = wari::EncodeStep<PlainEncoder, N>;
};

}  // namespace wari
