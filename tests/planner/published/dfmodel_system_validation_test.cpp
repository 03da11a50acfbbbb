#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "planner/design_space.h"
#include "planner/validation.h"
#include "tests/support/close_to.h"
#include "tests/support/validation_row.h"

namespace waferloom::planner {
namespace {

using test::close_to;

const std::vector<ValidationRow>& rows() {
  static const std::vector<ValidationRow> all = dfmodel_system_rows();
  return all;
}

const ValidationRow& system_row(const std::string& name) { return test::row_of(rows(), name); }

bool is_claim(const ValidationRow& row) { return row.name.rfind("design space of ", 0) == 0; }

TEST_CASE("rows about systems have one figure to compare with, and a reason if not judged") {
  std::set<std::string> names;
  for (const ValidationRow& row : rows()) {
    INFO(row.name);
    CHECK(row.model == "DFModel");
    CHECK(names.insert(row.name).second);
    CHECK(row.published.has_value() != row.derived.has_value());
    CHECK((row.kind == RowKind::closed_form) == row.derived.has_value());
    CHECK(row.ours.has_value());
    CHECK_FALSE(row.note.empty());
    CHECK(row.holds().has_value() == row.is_judged());
  }
}

TEST_CASE("sharding and FLOP of GPT-3 175B, by hand") {
  // Outputs of Proj and FFN1 are reduced: 2,048 x 12,288 numbers of 2 bytes each.
  CHECK(*system_row("sharding optimum of a GPT-3 layer").ours == 2 * 2048 * 12288 * 2);
  // 96 layers, 2,304 samples: 12 h^2 weights, 2 s h of attention, 2 FLOP each; then 11 operations
  // on s h elements (GeLU on four times as many) and two on 96 s^2 scores.
  const double s = 2048;
  const double h = 12288;
  const double products = 2 * s * (12 * h * h + 2 * s * h);
  const double elements = 11 * s * h + 2 * 96 * s * s;
  CHECK(*system_row("GPT-3 175B FLOP").ours == close_to(96.0 * 2304 * (products + elements)));
}

TEST_CASE("Fig. 9's curve as printed falls below 0") {
  // kW of TFLOP/s: 3e-7 x 275^2 - 4.3e-4 x 275 + 0.04 = 0.0226875 - 0.11825 + 0.04.
  CHECK(*system_row("Fig. 9's curve as printed, TPUv4").published == close_to(-55.5625));
  CHECK(*system_row("Fig. 9's curve as printed, TPUv4").ours == close_to(22.6875 + 118.25 + 40));
}

TEST_CASE("Fig. 9's curve, as printed and with the other sign, of all chips by hand") {
  // 3e-7 x^2 kW is 295.8147, 22.6875, 113.0988 and 16,875 W; 4.3e-4 x is 426.99, 118.25, 264.02 and
  // 3,225 W.
  struct Chip {
    const char* name;
    double square;
    double line;
  };
  for (const Chip& chip : {Chip{"H100", 295.8147, 426.99}, Chip{"TPUv4", 22.6875, 118.25},
                           Chip{"SN30", 113.0988, 264.02}, Chip{"WSE-2", 16875, 3225}}) {
    const ValidationRow& found = system_row("Fig. 9's curve as printed, " + std::string(chip.name));
    INFO(found.name);
    CHECK(*found.published == close_to(chip.square - chip.line + 40).within(1e-9));
    CHECK(*found.ours == close_to(chip.square + chip.line + 40).within(1e-9));
  }
}

TEST_CASE("all-reduces of 8,000 bytes over links of 1 GB/s, steps of 1 us, by hand") {
  const std::pair<const char*, double> expected[] = {
      {"all-reduce on a ring", 14 + 8 * 2 * 7 / 8.0},
      {"all-reduce on a line", 14 + 8 * 2 * 2 * 7 / 8.0},
      {"all-reduce where all are connected", 2 + 8 * 2 / 8.0},
      {"all-reduce through a switch", 6 + 8 * 2 * 7 / 8.0},
      {"all-reduce on a torus", 8 + 8 * 2 * (3 / 4.0 + 1 / 8.0)},
      {"all-reduce on a dragonfly", 4 + 8 * 2 * (1 / 4.0 + 1 / 8.0)},
      {"all-reduce on a mesh group of 3 x 3", 16 + 8 * 4 * 8 / 9.0}};
  for (const auto& [name, value] : expected) {
    const std::string row_name = name;
    INFO(row_name);
    CHECK(*system_row(name).ours == close_to(value));
  }
}

TEST_CASE("networks of DLRM, HPL and FFT on a torus of 32 x 32 with PCIe, by hand") {
  constexpr double kStep = 500e-9;
  constexpr double kLink = 25e9;
  const double gradients = 20 * (3375.0 * 3375 + 3375) * 2;
  const double embeddings = 65536.0 * 92 * 2;
  CHECK(*system_row("DLRM, network on a 2-D torus").ours ==
        close_to((16 * embeddings + 2 * gradients * 1023 / 1024) / kLink + 188 * kStep));
  // 5e6 x 5e6 numbers of 2 bytes: panels of a 64th, swaps of three; 9,765.625 panels, 5 n swaps.
  CHECK(*system_row("HPL, network on a 2-D torus").ours ==
        close_to(4 * 50e12 / 64 / kLink + (9765.625 * 62 + 25e6) * kStep));
  CHECK(*system_row("FFT, network on a 2-D torus").ours ==
        close_to(3 * (8 * 4 * 1073741824.0 / kLink + 32 * kStep)));
}

/// Every system reaches a utilisation of 1, `chip`'s of `reached`.
std::vector<DesignResult> sweep_with(std::string_view chip, double reached) {
  std::vector<DesignResult> sweep;
  for (const DesignPoint& point : design_points()) {
    DesignResult result;
    result.utilisation = design_names(point).front() == chip ? reached : 1;
    sweep.push_back(result);
  }
  return sweep;
}

DesignClaim claim_of(DesignWorkload workload, const std::vector<DesignResult>& sweep,
                     const std::string& name) {
  for (const DesignClaim& claim : design_claims(workload, sweep)) {
    if (claim.name == name && claim.quantity == "utilisation") return claim;
  }
  FAIL("no claim: ", name);
  return {};
}

TEST_CASE("a claim compares the means of both sides and knows its tendency") {
  const auto claim = [](double reached) {
    return claim_of(DesignWorkload::gpt3_1t, sweep_with("SN30", reached), "SN30 over H100, TPUv4");
  };
  CHECK(claim(1.5).ours == close_to(1.5));
  CHECK(claim(1.5).published == 1.52);
  CHECK(claim(1.5).error() == close_to(0.02 / 1.52));
  CHECK(claim(1.06).same_tendency);
  CHECK_FALSE(claim(1.04).same_tendency);
  CHECK_FALSE(claim(0.5).same_tendency);
  // One of the three others has 1.6: the mean of the others is 1.2, WSE-2's part of it 1 / 1.2.
  const auto less = claim_of(DesignWorkload::dlrm, sweep_with("TPUv4", 1.6), "WSE-2 over others");
  CHECK(less.ours == close_to(1 / 1.2));
  CHECK(less.same_tendency);
  // Nothing changes with the memory: a published 1 has the same tendency from 0.8 to 1.2.
  const auto memory = claim_of(DesignWorkload::gpt3_1t, sweep_with("", 1), "HBM over DDR, SN30");
  CHECK(memory.ours == 1);
  CHECK(memory.published == 1);
  CHECK(memory.same_tendency);
}

TEST_CASE("claims about the design space are not judged, and their notes say what they show") {
  std::size_t found = 0;
  for (const ValidationRow& row : rows()) {
    if (!is_claim(row)) continue;
    INFO(row.name, ": ", *row.ours);
    ++found;
    CHECK(row.kind == RowKind::not_judged);
    CHECK(row.error().has_value());
    const double published = *row.published;
    const double ours = *row.ours;
    const bool is_same = published == 1  ? ours >= 0.8 && ours <= 1.2
                         : published > 1 ? ours >= 1.05
                                         : ours <= 0.95;
    CHECK((row.note.rfind("same tendency", 0) == 0) == is_same);
    CHECK((row.note.rfind("not the same tendency", 0) == 0) != is_same);
  }
  CHECK(found == 42);  // section VI-C names so many
}

}  // namespace
}  // namespace waferloom::planner
