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

/// The experts that the tiles of an operator divide among themselves, if they do.
const Experts* divided_experts(const OperatorKind& kind, const Degrees& cut) {
  const auto* layer = std::get_if<TransformerOperator>(&kind);
  return layer != nullptr && layer->experts && cut.experts > 1 ? &*layer->experts : nullptr;
}

/// Of the products of a layer's feed-forward networks what the fullest tile has.
double feed_forward_share(const TransformerOperator& layer, std::int64_t samples,
                          const Degrees& cut) {
  if (cut.experts == 1 || !layer.experts) return fullest(layer.inner_features(), cut.out);
  const Experts& experts = *layer.experts;
  const std::int64_t of_replica = (samples + cut.batch - 1) / cut.batch;
  constexpr Int128 kMany = std::int64_t{1} << 50;  // come out even
  const auto visits = static_cast<std::int64_t>(
      std::min(kMany, Int128(of_replica) * layer.sequence * experts.active));
  const double chosen =
      fullest(visits, cut.experts) * fullest(experts.feed_forward, cut.of(Dimension::slices));
  const std::int64_t shared_features = experts.shared * experts.shared_feed_forward;
  if (shared_features == 0) return chosen;
  const double part =
      static_cast<double>(shared_features) / static_cast<double>(layer.inner_features());
  return part * fullest(shared_features, cut.out) + (1 - part) * chosen;
}

/// Of the products of a layer what the fullest tile of a replica has.
double layer_share(const TransformerOperator& layer, std::int64_t samples, const Degrees& cut) {
  const double feed_forward =
      2 * static_cast<double>(layer.feed_forward_matrices()) * static_cast<double>(layer.sequence) *
      static_cast<double>(layer.hidden) * static_cast<double>(layer.inner_features());
  const double part = feed_forward / static_cast<double>(count(layer).matrix_flop);
  return part * feed_forward_share(layer, samples, cut) +
         (1 - part) * fullest(layer.heads, cut.out);
}

}  // namespace

double largest_share(const OperatorKind& kind, std::int64_t samples, const Degrees& cut,
                     std::int64_t tiles) {
  const double of_samples = fullest(samples, cut.batch);
  const std::int64_t in_replica = std::max<std::int64_t>(1, tiles / cut.batch);
  if (const auto* layer = std::get_if<TransformerOperator>(&kind)) {
    return of_samples * layer_share(*layer, samples, cut);
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

std::optional<ImageBorder> image_border(const OperatorKind& kind, std::int64_t samples,
                                        const Degrees& cut) {
  if (cut.rows == 1) return std::nullopt;
  const auto* convolution = std::get_if<ConvOperator>(&kind);
  const auto* pool = std::get_if<PoolOperator>(&kind);
  if (convolution == nullptr && pool == nullptr) return std::nullopt;
  const Window& window = convolution != nullptr ? convolution->window : pool->window;
  const std::int64_t beyond = window.reached_height() - window.vertical_stride;
  if (beyond <= 0) return std::nullopt;
  const std::int64_t padded = std::min(window.padding.top, beyond);
  std::int64_t height = window.in_height;
  std::int64_t width = window.in_width;
  std::int64_t channels = convolution != nullptr ? convolution->in_channels : pool->channels;
  ImageBorder border{{1, padded, beyond - padded}};
  if (convolution != nullptr && convolution->transposed) {
    height = convolution->out_height();
    width = convolution->out_width();
    channels = convolution->out_channels;
    std::swap(border.rows.before, border.rows.behind);
    border.is_of_output = true;
  }
  border.rows.own = std::max<std::int64_t>(1, (height + cut.rows - 1) / cut.rows);
  const Int128 elements = Int128(width) * channels * beyond * samples;
  const std::int64_t parts = cut.batch * cut.out * cut.in;
  border.elements = static_cast<std::int64_t>((elements + parts - 1) / parts);
  return border;
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
  const Experts* experts = divided_experts(kind, cut);
  const bool hands = experts != nullptr || std::holds_alternative<ExchangeOperator>(kind) ||
                     std::holds_alternative<SortOperator>(kind);
  if (!hands || cut.out == 1) return 0;
  const std::int64_t parts = cut.batch * cut.out;
  const std::int64_t times = experts != nullptr ? experts->active : 1;
  return static_cast<std::int64_t>((Int128(count(kind).input) * times * samples + parts - 1) /
                                   parts);
}

std::int64_t handed_times(const OperatorKind& kind) {
  return std::holds_alternative<TransformerOperator>(kind) ? 2 : 1;
}

std::int64_t more_copies(const OperatorKind& kind, const Degrees& cut, bool shares_whole) {
  const Experts* experts = divided_experts(kind, cut);
  if (experts == nullptr) return 0;
  // Slices that share what would be whole gather it again.
  const std::int64_t now = experts->active * (shares_whole ? 1 : cut.of(Dimension::slices));
  // Shared experts need all tokens everywhere as before.
  const std::int64_t before = experts->shared > 0 ? 0 : shares_whole ? 1 : cut.out;
  return now - before;
}

}  // namespace waferloom
