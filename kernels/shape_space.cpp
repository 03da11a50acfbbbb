#include "kernels/shape_space.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <tuple>

#include "kernels/least_split.h"
#include "kernels/quarters.h"

// Problem: list every way to cut a kernel that can matter under some time cap, once, so that the
// front of shapes at a cap costs microseconds.
// Idea: enumerate (h, w) that change a convolution's time, then the rows whose largest c changes
// the number of parts. Sort by height. Drop a cut if an earlier one is no slower and needs no more
// memory in any convolution. A front at a cap then tests the kept cuts, with the least k that meets
// the cap.
// Source: the kernel model is the contest's (docs/contest_files.md); dominance as in Pareto fronts.
// Cost: O(cuts · rivals) once, with at most 512 rivals a cut; a front is linear in the kept cuts.
namespace waferloom {
namespace {

/// The least c that leaves fewer parts than c does; all that there are if there is no such.
std::int64_t next_cut(std::int64_t size4, std::int64_t c) {
  const std::int64_t parts = ceil_div(size4, kQuarters * c);
  return parts == 1 ? size4 : least_cut(size4, {parts - 1});
}

bool all_have_features(const Kernel& kernel) {
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    if (kernel.convolutions[i].in4 < kQuarters || kernel.convolutions[i].out4 < kQuarters)
      return false;
  }
  return true;
}

template <typename Values>
bool no_larger(const Values& a, const Values& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
  }
  return true;
}

/// Whether words a tile are no more under `a` than under `b`, whatever the k: of these weights go
/// as 1/c, the image as 1/(h·w).
bool no_fuller(const Convolution& conv, const ImageSplit& a, const ImageSplit& b) {
  const Int128 weights =
      Int128(kQuarters) * conv.in4 * conv.out4 * conv.field_height * conv.field_width;
  const Int128 image = Int128(conv.width4 + kQuarters * (conv.field_width - 1)) *
                       (conv.height4 + kQuarters * (conv.field_height - 1)) * conv.out4;
  const auto words = [&](const ImageSplit& of, const ImageSplit& over) {
    return (weights * of.h * of.w + image * of.c) * over.h * over.w * over.c;
  };
  return words(a, b) <= words(b, a);
}

}  // namespace

ShapeSpace::ShapeSpace(const Kernel& kernel, const Limits& limits,
                       const std::function<bool()>& stop)
    : kernel_(kernel),
      memory_limit_(limits.memory),
      largest_side_(limits.largest_side),
      time_denominator_(limits.time_denominator),
      buffers_(limits.buffers) {
  if (is_shape_list(kernel)) {
    keep_choices();
    return;
  }
  const std::function<bool()> stopped = [&] {
    complete_ = complete_ && !(stop && stop());
    return !complete_;
  };
  const std::vector<Cut> all = changing_cuts(stopped);
  if (!complete_) return;
  buffers_.words > 0 ? keep_roomy(all, stopped) : keep_unbeaten(all, stopped);
}

std::vector<ShapeSpace::Cut> ShapeSpace::changing_cuts(const std::function<bool()>& stopped) const {
  std::vector<Cut> all;
  if (!all_have_features(kernel_)) return all;
  const std::int64_t most_bands = largest_side_ / 2;  // a shape is at least two bands high
  // Height and memory depend on h·w alone: of equal h·w, only what is faster somewhere is of use.
  std::vector<std::vector<PerConvolution>> tried(static_cast<std::size_t>(most_bands) + 1);
  for (std::int64_t w = 1; w <= std::min(kernel_.width, most_bands); ++w) {
    for (std::int64_t h = 1; h <= std::min(kernel_.height, most_bands / w); ++h) {
      if (stopped()) return all;
      const PerConvolution times = image_times({h, w});
      std::vector<PerConvolution>& rivals = tried[static_cast<std::size_t>(h * w)];
      const auto beats = [&](const PerConvolution& rival) { return no_larger(rival, times); };
      if (std::any_of(rivals.begin(), rivals.end(), beats)) continue;
      rivals.push_back(times);
      add_cuts({h, w}, all);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Cut& a, const Cut& b) { return a.height() < b.height(); });
  return all;
}

/// Cuts come in ascending height, so a kept one never loses to a later one. The dominator found
/// last is tried first: neighbours tend to be beaten by the same cut. Only the last kMostRivals are
/// tried; what is kept in vain costs a little time in front().
void ShapeSpace::keep_unbeaten(const std::vector<Cut>& all, const std::function<bool()>& stopped) {
  constexpr std::size_t kMostRivals = 512;
  constexpr std::size_t kStopStride = 256;
  std::vector<std::size_t> recent;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % kStopStride == 0 && stopped()) return;
    const auto found = std::find_if(recent.begin(), recent.end(), [&](std::size_t kept) {
      return no_larger(cuts_[kept].round_time, all[i].round_time) &&
             no_larger(cuts_[kept].memory_k, all[i].memory_k);
    });
    if (found != recent.end()) {
      std::rotate(recent.begin(), found, found + 1);
      continue;
    }
    if (recent.size() == kMostRivals) recent.pop_back();
    recent.insert(recent.begin(), cuts_.size());
    cuts_.push_back(all[i]);
  }
}

bool ShapeSpace::beats_at_height(const Cut& rival, const Cut& cut) const {
  if (!no_larger(rival.round_time, cut.round_time)) return false;
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const Convolution& conv = kernel_.convolutions[i];
    const std::int64_t channels = conv.in4 / kQuarters;
    const ImageSplit a{rival.h, rival.w, std::min(rival.rows - 1, channels)};
    const ImageSplit b{cut.h, cut.w, std::min(cut.rows - 1, channels)};
    if (!no_fuller(conv, a, b)) return false;
  }
  return true;
}

/// Of cuts of one height, and so of as many tiles for every k, those that no other one equals or
/// beats in times and words.
void ShapeSpace::keep_roomy(const std::vector<Cut>& all, const std::function<bool()>& stopped) {
  std::size_t first = 0;  // kept of this height
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].height() != all[i - 1].height()) {
      first = cuts_.size();
      if (stopped()) return;
    }
    const auto begin = cuts_.begin() + static_cast<std::ptrdiff_t>(first);
    if (std::any_of(begin, cuts_.end(),
                    [&](const Cut& kept) { return beats_at_height(kept, all[i]); })) {
      continue;
    }
    cuts_.erase(std::remove_if(begin, cuts_.end(),
                               [&](const Cut& kept) { return beats_at_height(all[i], kept); }),
                cuts_.end());
    cuts_.push_back(all[i]);
  }
}

/// Options come in ascending height; of those so far `least_time` holds, by width, the times that
/// no narrower one has reached.
void ShapeSpace::keep_choices() {
  std::vector<Choice> all;
  const std::vector<ShapeOption>& options = shape_options(kernel_);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const ShapeOption& option = options[i];
    const auto number = static_cast<std::int64_t>(i) + 1;
    if (option.memory_words > memory_limit_ ||
        std::max(option.width, option.height) > largest_side_ ||
        !has_room(kernel_, option_execution(number), buffers_)) {
      continue;
    }
    all.push_back(Choice{Extent{option.width, option.height},
                         compute_time(kernel_, option_execution(number), time_denominator_),
                         number});
  }
  std::sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
    return std::tie(a.size.height, a.size.width, a.time, a.number) <
           std::tie(b.size.height, b.size.width, b.time, b.number);
  });
  std::map<std::int64_t, std::int64_t> least_time;
  for (const Choice& choice : all) {
    auto after = least_time.upper_bound(choice.size.width);
    if (after != least_time.begin() && std::prev(after)->second <= choice.time) continue;
    while (after != least_time.end() && after->second >= choice.time) {
      after = least_time.erase(after);
    }
    least_time[choice.size.width] = choice.time;
    choices_.push_back(choice);
  }
}

std::vector<Shape> ShapeSpace::choice_front(std::int64_t time) const {
  std::vector<Shape> result;
  std::int64_t narrowest = largest_side_ + 1;
  for (const Choice& choice : choices_) {
    if (choice.time > time || choice.size.width >= narrowest) continue;
    narrowest = choice.size.width;
    result.push_back(Shape{choice.size, option_execution(choice.number)});
  }
  return result;
}

ShapeSpace::PerConvolution ShapeSpace::image_times(const ImageCut& cut) const {
  PerConvolution times{};
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const Convolution& conv = kernel_.convolutions[i];
    times[i] = round_time(conv, ImageSplit{cut.h, cut.w, conv.in4 / kQuarters}, time_denominator_);
  }
  return times;
}

/// Along rising rows time and memory only fall: visits the rows at which one of them does. Where
/// buffers need room, each row brings some: visits them all.
void ShapeSpace::add_cuts(const ImageCut& image, std::vector<Cut>& all) const {
  const auto [h, w] = image;
  const KernelLimits memory_only{std::numeric_limits<std::int64_t>::max(), time_denominator_,
                                 memory_limit_};
  std::int64_t least = 1;  // c with which a legal k exists for all
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const Convolution& conv = kernel_.convolutions[i];
    const std::int64_t most_k = std::min(conv.out4 / kQuarters, largest_side_ / 3);
    if (most_k < 1) return;
    const std::int64_t c = least_c(conv, FeatureSplit{h, w, most_k}, memory_only);
    if (c == 0) return;
    least = std::max(least, c);
  }
  const std::int64_t last = largest_side_ / (h * w) - 1;
  for (std::int64_t next = least; next <= last;) {
    Cut cut{h, w, next + 1, {}, {}};
    const std::int64_t here = next;
    next = last + 1;
    for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
      const Convolution& conv = kernel_.convolutions[i];
      const std::int64_t channels = conv.in4 / kQuarters;
      const std::int64_t c = std::min(here, channels);
      const ImageSplit split{h, w, c};
      cut.memory_k[i] = least_k(conv, split, memory_only);
      cut.round_time[i] = round_time(conv, split, time_denominator_);
      if (here >= channels) continue;
      if (buffers_.words > 0) next = here + 1;
      next = std::min(next, next_cut(conv.in4, c));
      if (cut.memory_k[i] == 1) continue;
      const FeatureSplit leaner{h, w, cut.memory_k[i] - 1};
      const std::int64_t with_leaner = least_c(conv, leaner, memory_only);
      if (with_leaner != 0) next = std::min(next, with_leaner);
    }
    all.push_back(cut);
  }
}

std::int64_t ShapeSpace::width_at(const Cut& cut, std::int64_t time) const {
  std::int64_t width = 0;
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const std::int64_t k = std::max(
        cut.memory_k[i], least_cut(kernel_.convolutions[i].out4, {time / cut.round_time[i]}));
    if (k > kernel_.convolutions[i].out4 / kQuarters) return 0;
    width += 3 * k;
  }
  return width;
}

/// The same with room for buffers; 0 if no k makes it within so many columns.
std::int64_t ShapeSpace::roomy_width_at(const Cut& cut, std::int64_t time,
                                        std::int64_t most_columns) const {
  Execution execution = least_execution(cut, time);
  if (!make_room(kernel_, execution, buffers_, most_columns)) return 0;
  return extent(kernel_, execution).width;
}

/// With the least k that time and memory allow, whatever the buffers.
Execution ShapeSpace::least_execution(const Cut& cut, std::int64_t time) const {
  Execution execution;
  execution.h = cut.h;
  execution.w = cut.w;
  for (std::size_t i = 0; i < convolution_total(kernel_); ++i) {
    const Convolution& conv = kernel_.convolutions[i];
    execution.c[i] = std::min(cut.rows - 1, conv.in4 / kQuarters);
    execution.k[i] = std::max(cut.memory_k[i], least_cut(conv.out4, {time / cut.round_time[i]}));
  }
  return execution;
}

Shape ShapeSpace::shape(const Cut& cut, std::int64_t time) const {
  Shape shape{{}, least_execution(cut, time)};
  make_room(kernel_, shape.execution, buffers_);
  shape.size = extent(kernel_, shape.execution);
  return shape;
}

std::vector<Shape> ShapeSpace::front(std::int64_t time) const {
  if (is_shape_list(kernel_)) return choice_front(time);
  std::vector<Shape> result;
  std::int64_t narrowest = largest_side_ + 1;
  const Cut* held = nullptr;
  const auto flush = [&] {
    if (held != nullptr) result.push_back(shape(*held, time));
    held = nullptr;
  };
  std::int64_t held_height = 0;
  for (const Cut& cut : cuts_) {
    std::int64_t width = width_at(cut, time);
    if (width == 0 || width >= narrowest) continue;
    if (buffers_.words > 0) {
      width = roomy_width_at(cut, time, narrowest - 1);
      if (width == 0 || width >= narrowest) continue;
    }
    if (cut.height() != held_height) flush();
    held = &cut;
    held_height = cut.height();
    narrowest = width;
  }
  flush();
  return result;
}

}  // namespace waferloom
