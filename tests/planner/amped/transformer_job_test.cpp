#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/system_plan.h"

namespace waferloom::planner {
namespace {

Workload network() {
  TransformerOperator layer;
  layer.sequence = 8;
  layer.hidden = 16;
  layer.feed_forward = 64;
  return {"net",
          8,
          {{"in", EmbeddingOperator{8, 100, 16, 0}, {}},
           {"a", layer, {0}},
           {"b", layer, {1}},
           {"out", HeadOperator{8, 100, 16, true}, {2}}}};
}

TEST_CASE("a network's layers are a job") {
  const TransformerJob job = transformer_job(network(), 12, false);
  CHECK(job.name == "net");
  CHECK(job.layers == 2);
  CHECK(job.batch == 12);
  CHECK(job.layer.feed_forward == 64);
  CHECK_FALSE(job.training);
  CHECK(job.parameters() == 2 * 12 * 16 * 16);
}

TEST_CASE("layers of several kinds, or none, are no job") {
  Workload workload = network();
  std::get<TransformerOperator>(workload.operators[2].kind).feed_forward = 32;
  CHECK_THROWS_WITH_AS(
      transformer_job(workload, 1, true),
      "expected transformer layers that are all alike, found that b of net differs", RequestError);
  workload.operators.resize(1);
  CHECK_THROWS_WITH_AS(transformer_job(workload, 1, true),
                       "expected transformer layers, found none in net", RequestError);
}

}  // namespace
}  // namespace waferloom::planner
