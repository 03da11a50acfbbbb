#include <algorithm>

#include "kernels/int128.h"
#include "model/workload.h"

namespace waferloom {
namespace {

/// Of so many parts what the fullest of so many has, as part of all.
double fullest(std::int64_t parts, std::int64_t ways) {
  const std::int64_t used = std::clamp<std::int64_t>(ways, 1, parts);
  const std::int64_t most = (parts + used - 1) / used;
  return static_cast<double>(most) / static_cast<double>(parts);
}

/// Of the products of a layer what the fullest of so many tiles has.
double layer_share(const TransformerOperator& layer, std::int64_t ways) {
  const double feed_forward =
      2 * static_cast<double>(layer.feed_forward_matrices()) * static_cast<double>(layer.sequence) *
      static_cast<double>(layer.hidden) * static_cast<double>(layer.inner_features());
  const double part = feed_forward / static_cast<double>(count(layer).matrix_flop);
  return part * fullest(layer.inner_features(), ways) + (1 - part) * fullest(layer.heads, ways);
}

}  // namespace

double largest_share(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
                     std::int64_t tiles) {
  const double of_samples = fullest(samples, cut.batch);
  const std::int64_t in_replica = std::max<std::int64_t>(1, tiles / cut.batch);
  if (const auto* layer = std::get_if<TransformerOperator>(&kind)) {
    return of_samples * layer_share(*layer, cut.out);
  }
  if (const auto* add = std::get_if<AddOperator>(&kind)) {
    return of_samples * fullest(add->elements, in_replica);
  }
  // Parts have sums of their own, as long as there are as many.
  const auto* sums = std::get_if<ReduceOperator>(&kind);
  if (sums != nullptr && sums->out >= in_replica) {
    return of_samples * fullest(sums->out, in_replica);
  }
  Degrees ways = cut;
  // Groups of a convolution have a sum each, so its output is shared.
  const auto* convolution = std::get_if<ConvOperator>(&kind);
  const bool has_groups = convolution != nullptr && convolution->groups > 1;
  if (cut.product() == cut.batch) (has_groups ? ways.out : ways.in) = in_replica;
  const Degrees most = most_degrees(kind, samples);
  return of_samples * fullest(most.rows, ways.rows) * fullest(most.in, ways.in) *
         fullest(most.out, ways.out);
}

double stretch(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
               std::int64_t tiles) {
  const double times = largest_share(kind, samples, cut, tiles) * static_cast<double>(tiles);
  constexpr double kRounding = 1e-9;
  return times < 1 + kRounding ? 1 : times;
}

bool shares_input(const OperatorKind& kind, std::int64_t parts) {
  if (const auto* convolution = std::get_if<ConvOperator>(&kind)) {
    return !convolution->is_apart(parts);
  }
  if (const auto* gemm = std::get_if<GemmOperator>(&kind)) return gemm->batch < parts;
  return !is_graph_kernel(kind);
}

Int128 held_input(const OperatorKind& kind, const OperatorCount& counted, std::int64_t copies) {
  const bool is_gemm = std::holds_alternative<GemmOperator>(kind);
  return Int128(counted.input) +
         Int128(is_gemm ? counted.saved_whole : counted.input) * (copies - 1);
}

std::int64_t gathered_elements(const OperatorKind& kind, std::int64_t samples, const Degrees& cut) {
  const bool needs_all = std::holds_alternative<LinearOperator>(kind) ||
                         std::holds_alternative<ProductOperator>(kind) ||
                         std::holds_alternative<GemmOperator>(kind) ||
                         std::holds_alternative<ConvOperator>(kind);
  if (!needs_all || cut.out == 1 || !shares_input(kind, cut.out)) return 0;
  const OperatorCount counted = count(kind);
  const bool is_product =
      std::holds_alternative<ProductOperator>(kind) || std::holds_alternative<GemmOperator>(kind);
  const Int128 input = is_product ? counted.saved_whole : counted.input;
  const std::int64_t parts = cut.batch * cut.rows * cut.in;
  return static_cast<std::int64_t>((input * samples + parts - 1) / parts);
}

std::int64_t handed_elements(const OperatorKind& kind, std::int64_t samples, const Degrees& cut) {
  const bool hands =
      std::holds_alternative<ExchangeOperator>(kind) || std::holds_alternative<SortOperator>(kind);
  if (!hands || cut.out == 1) return 0;
  const std::int64_t parts = cut.batch * cut.out;
  return static_cast<std::int64_t>((Int128(count(kind).input) * samples + parts - 1) / parts);
}

}  // namespace waferloom
