#include <doctest/doctest.h>

#include <string>

#include "model/errors.h"
#include "model/workload.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

using test::close_to;

/// Layers with these windows, one behind the other.
Workload with_windows(const std::vector<std::int64_t>& windows) {
  Workload workload;
  workload.name = "windows";
  for (std::size_t i = 0; i < windows.size(); ++i) {
    TransformerOperator layer{64, 32, 4, 2, 128};
    layer.attention_window = windows[i];
    workload.operators.push_back({"layer." + std::to_string(i), layer, {}});
  }
  return workload;
}

TEST_CASE("layers of several windows are one stack of kinds") {
  const LayerStack stack = layer_stack(with_windows({8, 0, 8, 16}));
  CHECK(stack.layers == 4);
  CHECK(stack.kinds() == std::map<std::int64_t, std::int64_t>{{0, 1}, {8, 2}, {16, 1}});
  CHECK(stack.widest_window() == 0);
  CHECK(layer_stack(with_windows({8, 16})).widest_window() == 16);
  CHECK(stack.layer.attention_window == 0);
  CHECK(stack.with_window(8).attention_window == 8);
  // Where nobody has a window nothing is kept of them.
  CHECK(layer_stack(with_windows({0, 0})).windows.empty());
  CHECK(layer_stack(with_windows({0, 0})).kinds() == std::map<std::int64_t, std::int64_t>{{0, 2}});
  CHECK(layer_stack(Workload{}).layers == 0);
}

TEST_CASE("costs of kinds are added layer by layer, and the fullest piece is found") {
  const LayerStack stack = layer_stack(with_windows({8, 0, 8, 16, 0}));
  int asked = 0;
  const WindowCosts costs = stack.costs([&](std::int64_t window) {
    ++asked;
    return window == 0 ? 100.0 : static_cast<double>(window);
  });
  CHECK(asked == 3);
  CHECK(stack.sum(costs) == close_to(8 + 100 + 8 + 16 + 100.0));
  CHECK(stack.mean(costs) == close_to((8 + 100 + 8 + 16 + 100.0) / 5));
  CHECK(stack.sum(costs, {1, 2}) == close_to(108.0));
  CHECK(stack.sum(costs, {4, 3}) == close_to(100.0));  // the last piece has fewer
  // Pieces 0-1, 2-3, 4; and at any place 3-4.
  CHECK(stack.fullest(costs, {.layers = 2, .step = 2}) == close_to(108.0));
  CHECK(stack.fullest(costs, {.layers = 2, .step = 1}) == close_to(116.0));
  CHECK(stack.fullest(costs, {.layers = 1, .step = 1}) == close_to(100.0));
  // The first one may be the fullest.
  CHECK(layer_stack(with_windows({0, 8, 8})).fullest(costs, {.layers = 1, .step = 1}) ==
        close_to(100.0));
}

TEST_CASE("layers that differ in more than their windows are no stack") {
  Workload workload = with_windows({8, 0});
  std::get<TransformerOperator>(workload.operators[1].kind).feed_forward = 64;
  CHECK(test::complaint_of<RequestError>([&] { layer_stack(workload); }) ==
        "windows: expected layers that differ in their windows alone, found layer.1 unlike those "
        "before it");
}

TEST_CASE("a window sees the last of so many tokens") {
  CHECK(seen_tokens({100, 0}) == 100);
  CHECK(seen_tokens({100, 30}) == 30);
  CHECK(seen_tokens({20, 30}) == 20);
}

}  // namespace
}  // namespace waferloom
