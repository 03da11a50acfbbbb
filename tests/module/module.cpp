// A shared module of the libraries, as bindings to other languages are: it places two kernels,
// scores what came, and tells what went wrong in words.

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "model/placement.h"
#include "model/problem.h"
#include "placer/place.h"

namespace {

std::string complaint;

}  // namespace

extern "C" {

/// The distance of a placement, in half tiles, or -1.
[[gnu::visibility("default")]] std::int64_t trial_place(const char* kgraph);
/// What made the last call return -1.
[[gnu::visibility("default")]] const char* trial_complaint();
}

std::int64_t trial_place(const char* kgraph) {
  try {
    const waferloom::Problem problem = waferloom::read_kgraph(kgraph, "trial");
    waferloom::placer::PlaceOptions options;
    options.effort = 1;
    options.threads = 2;
    const auto found = waferloom::placer::place(problem, options);
    if (!found.placement) throw std::runtime_error("no placement");
    return waferloom::score(problem, *found.placement).half_distance;
  } catch (const std::exception& fault) {
    complaint = fault.what();
    return -1;
  }
}

const char* trial_complaint() { return complaint.c_str(); }
