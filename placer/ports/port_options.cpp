#include "placer/ports/port_options.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "kernels/least_split.h"
#include "placer/shapes/kernel_cut.h"

// Problem: list, for each kernel and time cap, the executions that a neighbour can tell apart.
// Idea: cuts of h, w and c fall into classes in which every convolution has the same parts. Take
// one cut of each class, and two where the parity of a side matters. For each port (signature and
// parity), keep only options that no other beats in both thin side and area. Outlines, which stand
// for a range of cuts, give lower bounds.
// Source: our own; docs/placer.md has parity and why the classes lose nothing.
// Cost: O(classes of h · classes of w · classes of c) a kernel type and cap, pruned by time.
namespace waferloom::placer {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// Makes a cut that a list of shapes shows a class of its own.
void add_single(std::set<std::int64_t>& beginnings, std::int64_t cut) {
  beginnings.insert(cut);
  beginnings.insert(cut + 1);
}

/// First members of the classes 1 … most of cuts with equal ⌈size4/(4·cut)⌉ for every size, split
/// at `own`.
std::vector<std::int64_t> class_beginnings(const std::set<std::int64_t>& sizes4,
                                           const std::set<std::int64_t>& own, std::int64_t most) {
  std::vector<std::int64_t> beginnings;
  for (std::int64_t cut = 1; cut <= most; ++cut) {
    const auto parts = [](std::int64_t size4, std::int64_t by) {
      return (size4 + 4 * by - 1) / (4 * by);
    };
    const bool begins = cut == 1 || own.count(cut) > 0 ||
                        std::any_of(sizes4.begin(), sizes4.end(), [&](auto size4) {
                          return parts(size4, cut) != parts(size4, cut - 1);
                        });
    if (begins) beginnings.push_back(cut);
  }
  return beginnings;
}

/// The classes of cuts in 1 … most: under PortRule::executions single values, the first of each
/// class and the one above.
std::vector<CutClass> classes(const std::vector<std::int64_t>& beginnings, std::int64_t most,
                              PortRule rule) {
  std::vector<CutClass> result;
  for (std::size_t i = 0; i < beginnings.size() && beginnings[i] <= most; ++i) {
    const std::int64_t first = beginnings[i];
    const std::int64_t next = i + 1 < beginnings.size() ? beginnings[i + 1] : kNoLimit;
    if (rule == PortRule::outlines) {
      result.push_back({first, std::min(most, next - 1)});
      continue;
    }
    result.push_back({first, first});
    if (first + 1 < next && first + 1 <= most) result.push_back({first + 1, first + 1});
  }
  return result;
}

/// Last cut of the class that begins at `first`.
std::int64_t last_of(const std::vector<std::int64_t>& beginnings, std::int64_t first) {
  const auto after = std::upper_bound(beginnings.begin(), beginnings.end(), first);
  return after == beginnings.end() ? kNoLimit : *after - 1;
}

/// Least k of any execution of the three classes; 0 if there is none.
std::int64_t relaxed_k(const Convolution& conv, const CutClass& h, const CutClass& w,
                       const CutClass& c, const KernelLimits& limits) {
  const KernelLimits memory_only{kNoLimit, limits.time_denominator, limits.memory_words};
  const std::int64_t for_memory = least_k(conv, {h.last, w.last, c.last}, memory_only);
  const std::int64_t once = round_time(conv, {h.first, w.first, c.first}, limits.time_denominator);
  const std::int64_t k = std::max(for_memory, least_cut(conv.out4, {limits.time / once}));
  return for_memory == 0 || k > conv.out4 / 4 ? 0 : k;
}

/// Lists the options of one kernel type under one cap.
class PortLister {
 public:
  PortLister(const ShapeLibrary& library, std::size_t type, std::int64_t time,
             const SeenPorts& seen, PortRule rule, const PortLimits& within)
      : kernel_(library.type(type)),
        limits_(library.limits(type, time)),
        seen_(seen),
        rule_(rule),
        longest_(library.largest_side()),
        widest_(std::min(library.problem().wafer().width, library.problem().wafer().height)),
        most_area_(within.most_area),
        thin_slack_(within.thin_slack),
        by_length_(within.by_length),
        merged_(within.merged),
        most_options_(within.most_options),
        stop_(within.stop) {
    if (thin_slack_ < 0 || convolution_total(kernel_) < 2) return;
    least_area_.assign(static_cast<std::size_t>(longest_) + 1, kNoLimit);
    for (const Shape& shape : library.front(type, time)) {
      auto& least =
          least_area_[static_cast<std::size_t>(std::min(shape.size.width, shape.size.height))];
      least = std::min(least, shape.size.width * shape.size.height);
    }
    for (std::size_t thin = 1; thin < least_area_.size(); ++thin) {
      least_area_[thin] = std::min(least_area_[thin], least_area_[thin - 1]);
    }
  }

  PortOptions list(const PortClasses& all) {
    if (is_shape_list(kernel_)) return list_shapes(all);
    const auto total = convolution_total(kernel_);
    std::int64_t most_c = 0;
    for (std::size_t i = 0; i < total; ++i) {
      most_c = std::max(most_c, kernel_.convolutions[i].in4 / 4);
    }
    const std::vector<CutClass> heights =
        classes(all.heights(), kernel_.height, rule_exact_image());
    const std::vector<CutClass> widths = classes(all.widths(), kernel_.width, rule_exact_image());
    const std::vector<CutClass> channels = classes(all.channels(), most_c, rule_);
    for (const CutClass& h : heights) {
      for (const CutClass& w : widths) {
        if (2 * h.first * w.first > longest_) break;
        if (found_.size() > most_options_ || (stop_ != nullptr && stop_->is_cut())) {
          PortOptions none;
          none.examined = found_.size();
          none.given_up = true;
          return none;
        }
        list_image(h, w, merged_ == nullptr ? channels : merged_->of(h, w));
      }
    }
    return finish();
  }

 private:
  /// Of h and w the executions take only the first of each class.
  PortRule rule_exact_image() const { return PortRule::outlines; }

  /// The options of a list of shapes; they need not be classed, but outlines are.
  PortOptions list_shapes(const PortClasses& all) {
    const auto class_of = [&](const std::vector<std::int64_t>& beginnings, std::int64_t cut) {
      if (rule_ == PortRule::executions || cut == 0) return cut;
      return *std::prev(std::upper_bound(beginnings.begin(), beginnings.end(), cut));
    };
    const auto count = static_cast<std::int64_t>(shape_options(kernel_).size());
    for (std::int64_t number = 1; number <= count; ++number) {
      const Execution execution = option_execution(number);
      if (memory_words(kernel_, execution) > limits_.memory_words) continue;
      if (!has_room(kernel_, execution, limits_.buffers)) continue;
      if (compute_time(kernel_, execution, limits_.time_denominator) > limits_.time) continue;
      const Signature shown = signature(kernel_, execution);
      PortOption option;
      option.number = number;
      option.cut =
          Signature{class_of(all.heights(), shown.h), class_of(all.widths(), shown.w),
                    class_of(all.channels(), shown.c_in), class_of(all.channels(), shown.c_out)};
      const Extent size = extent(kernel_, execution);
      emit(option, size.height, size.width);
    }
    return finish();
  }

  void list_image(const CutClass& h, const CutClass& w, const std::vector<CutClass>& channels) {
    const auto total = convolution_total(kernel_);
    const std::int64_t image = h.first * w.first;
    std::size_t count = 0;
    while (count < channels.size() && image * (channels[count].first + 1) <= longest_) ++count;
    if (count == 0) return;
    for (std::size_t i = 0; i < total; ++i) {
      k_[i].assign(count, 0);
      const std::int64_t own = kernel_.convolutions[i].in4 / 4;
      for (std::size_t c = 0; c < count && channels[c].first <= own; ++c) {
        k_[i][c] = least(kernel_.convolutions[i], h, w,
                         {channels[c].first, std::min(own, channels[c].last)});
      }
    }
    if (total == 1) {
      for (std::size_t c = 0; c < count; ++c) list_cut(h, w, channels, {c, c, c});
      return;
    }
    const auto output = static_cast<std::size_t>(output_convolution(kernel_));
    for (std::size_t rest = 0; rest < count; ++rest) {
      // A smaller c needs more k: what is in vain with one c is in vain with all below it.
      const std::size_t widest_in = widest_class(0, channels, rest);
      const std::size_t widest_out = widest_class(output, channels, rest);
      for (std::size_t in = widest_in + 1; in-- > 0;) {
        bool any = false;
        for (std::size_t out = widest_out + 1; out-- > 0;) {
          if (!list_cut(h, w, channels, {in, out, rest})) break;
          any = true;
          if (!seen_.output || !seen_.channels) break;
        }
        if (!any || !seen_.input || !seen_.channels) break;
      }
    }
  }

  bool in_vain(std::int64_t height, std::int64_t width) const {
    const std::int64_t thin = std::min(height, width);
    if (height * width > most_area_ || thin > widest_ || std::max(height, width) > longest_) {
      return true;
    }
    const std::int64_t beaten = thin - thin_slack_;
    return !least_area_.empty() && beaten >= 0 &&
           least_area_[static_cast<std::size_t>(beaten)] <= height * width;
  }

  struct Picks {
    std::size_t in, out, rest;
  };

  /// Largest class of c for a convolution that nobody looks at.
  std::size_t widest_class(std::size_t convolution, const std::vector<CutClass>& channels,
                           std::size_t most) const {
    const std::int64_t own = kernel_.convolutions[convolution].in4 / 4;
    while (most > 0 && channels[most].first > own) --most;
    return most;
  }

  /// Least k of one convolution; 0 if there is none.
  std::int64_t least(const Convolution& conv, const CutClass& h, const CutClass& w,
                     const CutClass& c) const {
    const ImageSplit first{h.first, w.first, c.first};
    if (rule_ == PortRule::executions) return least_k(conv, first, limits_);
    return relaxed_k(conv, h, w, c, limits_);
  }

  /// Whether the cut is possible and not in vain.
  bool list_cut(const CutClass& h, const CutClass& w, const std::vector<CutClass>& channels,
                const Picks& picks) {
    const auto total = convolution_total(kernel_);
    const auto output = static_cast<std::size_t>(output_convolution(kernel_));
    std::int64_t k_sum = 0;
    CutClass most_c{0, 0};
    std::int64_t spare_k = 0;
    for (std::size_t i = 0; i < total; ++i) {
      std::size_t c = widest_class(i, channels, picks.rest);
      if (i == output) c = picks.out;
      if (i == 0) c = picks.in;
      const std::int64_t k = k_[i][c];
      if (k == 0) return false;
      k_sum += k;
      const std::int64_t own = kernel_.convolutions[i].in4 / 4;
      most_c.first = std::max(most_c.first, channels[c].first);
      most_c.last = std::max(most_c.last, std::min(own, channels[c].last));
      spare_k += kernel_.convolutions[i].out4 / 4 - k;
    }
    PortOption option;
    option.cut = Signature{h.first, w.first, channels[picks.in].first, channels[picks.out].first};
    option.c_rest = channels[picks.rest].first;
    const std::int64_t height = h.first * w.first * (most_c.first + 1);
    if (in_vain(height, 3 * k_sum)) return false;
    if (rule_ == PortRule::executions && limits_.buffers.words > 0) {
      const auto roomy = execute(kernel_, KernelCut{option.cut, option.c_rest}, limits_);
      if (!roomy) return false;
      const std::int64_t k_with_room = std::accumulate(roomy->k.begin(), roomy->k.end(), 0LL);
      spare_k -= k_with_room - k_sum;
      k_sum = k_with_room;
      if (in_vain(height, 3 * k_sum)) return false;
    }
    const std::int64_t width = 3 * k_sum;
    emit(option, height, width);
    if (!seen_.parity) return true;
    if (rule_ == PortRule::outlines) {
      const std::int64_t higher = other_parity(h, w, most_c, width);
      if (higher > 0 && !in_vain(higher, width)) emit(option, higher, width);
    }
    option.extra_k = extra_for_parity(height, k_sum);
    if (option.extra_k <= spare_k && !in_vain(height, 3 * (k_sum + option.extra_k))) {
      emit(option, height, 3 * (k_sum + option.extra_k));
    }
    return true;
  }

  /// Least height of an execution of the three classes whose height is its long side and has the
  /// parity that the long side of the least execution has not; 0 if there is none. A lower bound
  /// where the width exceeds that height.
  static std::int64_t other_parity(const CutClass& h, const CutClass& w, const CutClass& c,
                                   std::int64_t width) {
    const std::int64_t least = h.first * w.first * (c.first + 1);
    const bool odd = std::max(least, width) % 2 == 0;  // what is looked for
    std::int64_t height = 0;
    if ((least % 2 != 0) == odd) {
      height = least;
    } else if (odd) {
      const std::int64_t odd_h = h.first + 1 - h.first % 2;
      const std::int64_t odd_w = w.first + 1 - w.first % 2;
      const std::int64_t even_c = c.first + c.first % 2;
      if (odd_h > h.last || odd_w > w.last || even_c > c.last) return 0;
      height = odd_h * odd_w * (even_c + 1);
    } else {
      const auto consider = [&](bool possible, std::int64_t other) {
        if (possible && (height == 0 || other < height)) height = other;
      };
      consider(h.first < h.last, (h.first + 1) * w.first * (c.first + 1));
      consider(w.first < w.last, h.first * (w.first + 1) * (c.first + 1));
      consider(c.first < c.last, h.first * w.first * (c.first + 2));
      if (height == 0) return 0;
    }
    if (height >= width) return height;
    return (width % 2 != 0) == odd ? width : width + 1;
  }

  /// Least number of further k that gives the long side the other parity.
  static std::int64_t extra_for_parity(std::int64_t height, std::int64_t k_sum) {
    const std::int64_t parity = std::max(height, 3 * k_sum) % 2;
    std::int64_t k = std::max(k_sum, height / 3) + 1;
    if (3 * k % 2 == parity) ++k;
    return k - k_sum;
  }

  void emit(PortOption option, std::int64_t height, std::int64_t width) {
    option.thin = std::min(height, width);
    option.length = std::max(height, width);
    if (option.length > longest_ || option.thin > widest_ || option.area() > most_area_) return;
    Port port;
    if (seen_.input || seen_.output) {
      port.ports.h = option.cut.h;
      port.ports.w = option.cut.w;
    }
    if (seen_.input && seen_.channels) port.ports.c_in = option.cut.c_in;
    if (seen_.output && seen_.channels) port.ports.c_out = option.cut.c_out;
    port.odd_length = seen_.parity && option.length % 2 != 0;
    found_.push_back({port, option});
  }

  struct Found {
    Port port;
    PortOption option;
  };

  PortOptions finish() {
    const auto key = [](const Found& f) {
      const Signature& s = f.port.ports;
      return std::make_tuple(s.h, s.w, s.c_in, s.c_out, f.port.odd_length, f.option.thin,
                             f.option.length);
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const Found& a, const Found& b) { return key(a) < key(b); });
    PortOptions result;
    result.examined = found_.size();
    const auto size = [&](const PortOption& option) {
      return by_length_ ? option.length : option.area();
    };
    std::int64_t least_size = 0;  // of those behind the port with at most this thin side
    for (Found& found : found_) {
      if (result.ports.empty() || !(result.ports.back() == found.port)) {
        result.ports.push_back(found.port);
      } else if (size(found.option) >= least_size) {
        continue;
      }
      least_size = size(found.option);
      found.option.port = static_cast<std::uint32_t>(result.ports.size() - 1);
      result.options.push_back(found.option);
    }
    found_.clear();
    return result;
  }

  const Kernel& kernel_;
  KernelLimits limits_;
  SeenPorts seen_;
  PortRule rule_;
  std::int64_t longest_;  ///< a long side may have this
  std::int64_t widest_;   ///< a thin side may have this
  std::int64_t most_area_;
  std::int64_t thin_slack_;
  bool by_length_;
  MergedChannels* merged_;
  std::size_t most_options_;
  const RunControl* stop_;
  std::vector<std::int64_t> least_area_;  ///< of any shape up to a thin side; empty if not needed
  std::array<std::vector<std::int64_t>, kMaxConvolutions> k_;  ///< by convolution and class of c
  std::vector<Found> found_;
};

}  // namespace

PortClasses::PortClasses(const ShapeLibrary& library) : library_(&library) {
  std::set<std::int64_t> heights, widths, channels;              // quarters
  std::set<std::int64_t> own_heights, own_widths, own_channels;  // cuts that lists of shapes show
  for (std::size_t type = 0; type < library.type_count(); ++type) {
    const Kernel& kernel = library.type(type);
    for (const ShapeOption& option : shape_options(kernel)) {
      add_single(own_heights, option.signature.h);
      add_single(own_widths, option.signature.w);
      add_single(own_channels, option.signature.c_in);
      add_single(own_channels, option.signature.c_out);
    }
    for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
      heights.insert(kernel.convolutions[i].height4);
      widths.insert(kernel.convolutions[i].width4);
      channels.insert(kernel.convolutions[i].in4);
    }
  }
  const std::int64_t most = library.largest_side() / 2;  // a shape is at least two bands high
  heights_ = class_beginnings(heights, own_heights, most);
  widths_ = class_beginnings(widths, own_widths, most);
  channels_ = class_beginnings(channels, own_channels, library.largest_side() - 1);
}

PortOptions PortClasses::options(std::size_t type, std::int64_t time, const SeenPorts& seen,
                                 PortRule rule, const PortLimits& limits) const {
  return PortLister(*library_, type, time, seen, rule, limits).list(*this);
}

std::optional<Execution> PortClasses::execution(std::size_t type, std::int64_t time,
                                                const PortOption& option) const {
  const Kernel& kernel = library_->type(type);
  if (option.number > 0) return option_execution(option.number);
  const auto found =
      execute(kernel, KernelCut{option.cut, option.c_rest}, library_->limits(type, time));
  if (!found) return found;
  Execution result = *found;
  std::int64_t extra = option.extra_k;
  for (std::size_t i = 0; i < convolution_total(kernel); ++i) {
    const std::int64_t taken = std::min(extra, kernel.convolutions[i].out4 / 4 - result.k[i]);
    result.k[i] += taken;
    extra -= taken;
  }
  if (extra > 0) return std::nullopt;
  return result;
}

MergedChannels::MergedChannels(const ShapeLibrary& library, const PortClasses& classes,
                               std::int64_t time)
    : library_(&library), classes_(&classes), time_(time) {}

const std::vector<CutClass>& MergedChannels::of(const CutClass& h, const CutClass& w) {
  const auto key = std::make_pair(h.first, w.first);
  const auto known = found_.find(key);
  if (known != found_.end()) return known->second;
  std::vector<CutClass> merged;
  const std::vector<std::int64_t>& channels = classes_->channels();
  std::vector<std::int64_t> before, here;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const std::int64_t first = channels[i];
    if (h.first * w.first * (first + 1) > library_->largest_side()) break;
    const std::int64_t last = i + 1 < channels.size() ? channels[i + 1] - 1 : kNoLimit;
    here.clear();
    for (std::size_t type = 0; type < library_->type_count(); ++type) {
      const Kernel& kernel = library_->type(type);
      const CutClass own_h{h.first, std::min(kernel.height, last_of(classes_->heights(), h.first))};
      const CutClass own_w{w.first, std::min(kernel.width, last_of(classes_->widths(), w.first))};
      const bool cuttable = h.first <= kernel.height && w.first <= kernel.width;
      for (std::size_t c = 0; c < convolution_total(kernel); ++c) {
        const std::int64_t own = kernel.convolutions[c].in4 / 4;
        here.push_back(!cuttable || first > own ? 0
                                                : relaxed_k(kernel.convolutions[c], own_h, own_w,
                                                            {first, std::min(own, last)},
                                                            library_->limits(type, time_)));
      }
    }
    if (!merged.empty() && here == before) {
      merged.back().last = last;
    } else {
      merged.push_back({first, last});
    }
    before.swap(here);
  }
  return found_.emplace(key, std::move(merged)).first->second;
}

}  // namespace waferloom::placer
