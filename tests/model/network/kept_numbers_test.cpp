#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/workload.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

using test::close_to;

TEST_CASE("numbers of a format take their bits, and a scale for each group") {
  constexpr NumberFormat kNarrow{4, 32};
  const auto bytes = [](const NumberFormat& format, std::int64_t numbers) {
    return format.bytes(numbers);
  };
  CHECK(bytes(kNarrow, 64) == 32 + 2 * 2);
  CHECK(bytes(kNarrow, 33) == 17 + 2 * 2);  // both rounded up
  CHECK(kNarrow.bytes_each() == close_to(0.5 + 2.0 / 32));
  CHECK(bytes({8, 0}, 33) == 33);
  CHECK(bytes({3, 0}, 3) == 2);
  CHECK(kNarrow.bytes(Int128(1) << 70) == (Int128(1) << 69) + (Int128(1) << 66));
}

TEST_CASE("matrices of layers are kept narrow, all other parameters wide") {
  const KeptNumbers kept{NumberFormat{4, 0}};
  const OperatorCount linear = count(LinearOperator{1, 100, 10, true});
  CHECK(linear.matrix_parameters == 1'000);
  CHECK(weight_bytes(linear, kept, 2) == 500 + 10 * 2);
  CHECK(weight_bytes(linear, {}, 2) == 1'010 * 2);
  // 4 h², two matrices of h x 4 h; 4 h + 4 h + h of biases, 2 · 2 h of norms.
  const OperatorCount layer = count(TransformerOperator{16, 64, 4, 4, 256});
  CHECK(layer.matrix_parameters == 12 * 64 * 64);
  CHECK(weight_bytes(layer, kept, 2) == 6 * 64 * 64 + 2 * 13 * 64);
  CHECK(mean_weight_bytes(layer, kept, 2) == close_to(6 * 64 * 64 + 2 * 13 * 64));
  // Experts and their gate: all of them are kept.
  TransformerOperator mixed{16, 64, 4, 4, 256};
  mixed.biases = Biases::none;
  mixed.experts = Experts{.count = 4, .active = 2, .feed_forward = 32};
  CHECK(count(mixed).matrix_parameters == 4 * 64 * 64 + 4 * 2 * 64 * 32 + 4 * 64);
  CHECK(count(HeadOperator{1, 100, 64, false}).matrix_parameters == 0);
  CHECK(count(EmbeddingOperator{1, 100, 64, 0}).matrix_parameters == 0);
}

constexpr const char* kNetwork =
    R"({"weights": {"bits": 4, "group": 128}, "caches": {"bits": 8},)"
    R"( "operators": [{"name": "a", "kind": "linear", "in": 2, "out": 3}]})";

TEST_CASE("a file says how numbers are kept, and is written so") {
  const Workload workload = read_workload(kNetwork, "n.json");
  CHECK(workload.kept == KeptNumbers{NumberFormat{4, 128}, NumberFormat{8, 0}});
  Network file{"n", 1};
  file.entries = {{"a", 1, LinearOperator{1, 2, 3, true}}};
  file.kept = workload.kept;
  CHECK(read_workload(network_text(file), "n.json").kept == workload.kept);
  file.kept = {};
  CHECK(network_text(file).find("weights") == std::string::npos);
}

TEST_CASE("impossible formats are refused where they stand") {
  const auto complaint = [](const std::string& weights) {
    return test::complaint_of([&] {
      read_workload(R"({"weights": )" + weights +
                        R"(, "operators": [{"name": "a", "kind": "add", "elements": 1}]})",
                    "n.json");
    });
  };
  CHECK(complaint(R"({"bits": 0})") ==
        "n.json:1:22: expected bits as a whole number from 1 to 16, found '0'");
  CHECK(complaint(R"({"bits": 17})") ==
        "n.json:1:22: expected bits as a whole number from 1 to 16, found '17'");
  CHECK(complaint(R"({"group": 4})").find("bits") != std::string::npos);
  CHECK(complaint(R"({"bit": 4})").find("did you mean") != std::string::npos);
  CHECK(complaint("4").find("a number format as an object with bits") != std::string::npos);
}

TEST_CASE("what is kept narrow is not trained") {
  Workload workload = read_workload(kNetwork, "n.json");
  workload.name = "net";
  CHECK_THROWS_WITH_AS(demand_trainable(workload),
                       "net has weights of 4 bits, which training does not know yet", RequestError);
  workload.kept.weights.reset();
  demand_trainable(workload);  // caches are of no matter
}

}  // namespace
}  // namespace waferloom
