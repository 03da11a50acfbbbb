#include "placer/starts/rows/row_band.h"

#include <algorithm>

namespace waferloom::placer {
namespace {

constexpr std::int32_t kTooWide = 1 << 28;

}  // namespace

void RowBand::file(const std::vector<TypesUnder>& all) {
  if (all.empty()) return;
  for (std::size_t type = 0; type < all.front().types.size(); ++type) {
    for (const std::uint32_t member : members_) {
      const std::int64_t width = all[member].types[type].tiles.width;
      tiles_.push_back(width > 0 ? static_cast<std::int32_t>(width) : kTooWide);
    }
  }
  for (const std::uint32_t a : members_) {
    for (const std::uint32_t b : members_) {
      changes_.push_back(static_cast<float>(mismatches_between(all[a].bands, all[b].bands)));
    }
  }
}

RowTrack::RowTrack(const std::vector<bool>& blocked)
    : clear_from_(blocked.size() + 1), clear_until_(blocked.size() + 1) {
  const auto end = static_cast<std::int32_t>(blocked.size());
  clear_from_.back() = clear_until_.back() = end;
  for (std::int32_t x = end; x-- > 0;) {
    const auto at = static_cast<std::size_t>(x);
    clear_from_[at] = blocked[at] ? clear_from_[at + 1] : x;
    clear_until_[at] = blocked[at] ? x : clear_until_[at + 1];
  }
}

std::int32_t RowTrack::place(std::int32_t from, std::int32_t width) const {
  while (from < length()) {
    from = clear_from_[static_cast<std::size_t>(from)];
    const std::int32_t until = clear_until_[static_cast<std::size_t>(from)];
    if (until - from >= width) return from;
    from = until;
  }
  return kTooWide;
}

RowBand::Sweep::Sweep(const RowBand& band, std::int64_t room, const RowTrack* track)
    : band_(&band),
      track_(track),
      room_(static_cast<std::int32_t>(room)),
      cost_(band.members_.size(), 0),
      width_(band.members_.size(), 0),
      first_(band.members_.size(), 0),
      from_(band.members_.size(), 0) {}

bool RowBand::Sweep::append(std::size_t position) {
  const RowKernel& kernel = (*band_->kernels_)[position];
  const std::size_t count = cost_.size();
  for (std::uint32_t m = 0; m < count; ++m) from_[m] = m;
  if (begun_) {
    change(kernel.per_change);
  } else {
    first_ = from_;
  }
  begun_ = true;
  const std::int32_t* tiles = band_->tiles_.data() + kernel.type * count;
  const float* mismatches = band_->mismatches_.data() + position * count;
  if (track_ != nullptr) stand(kernel, tiles);
  if (remembers_) start_ = width_;
  float* costs = cost_.data();
  std::int32_t* widths = width_.data();
  for (std::size_t m = 0; m < count; ++m) {
    const std::int32_t width = std::min(widths[m] + tiles[m], kTooWide);
    const float barred = width > room_ ? kNoRow : 0;
    widths[m] = width;
    costs[m] += static_cast<float>(tiles[m]) * kernel.per_tile + mismatches[m] + barred;
  }
  best_ = static_cast<std::size_t>(std::min_element(cost_.begin(), cost_.end()) - cost_.begin());
  if (remembers_) memories_.push_back({from_, start_});
  return count > 0 && cost_[best_] < kNoRow;
}

/// Moves the row's end to where the next kernel can stand.
void RowBand::Sweep::stand(const RowKernel& kernel, const std::int32_t* tiles) {
  for (std::size_t m = 0; m < width_.size(); ++m) {
    if (cost_[m] == kNoRow || tiles[m] == kTooWide) continue;
    const std::int32_t start = track_->place(width_[m], tiles[m]);
    cost_[m] += static_cast<float>(start - width_[m]) * kernel.per_gap;
    width_[m] = start;
  }
}

/// The cheapest signature to come from, for each: the same, or another one and what the change
/// costs. Masks in place of conditions let the compiler use vectors.
void RowBand::Sweep::change(float per_change) {
  const std::size_t count = cost_.size();
  const float least = cost_[best_];
  next_cost_ = cost_;
  for (std::uint32_t source = 0; source < count; ++source) {
    // From a dearer one than this it is no cheaper than from the cheapest with three mismatches.
    if (source != best_ && cost_[source] >= least + 2 * per_change) continue;
    const float own = cost_[source];
    const float* changes = band_->changes_.data() + source * count;
    float* next = next_cost_.data();
    std::uint32_t* from = from_.data();
    for (std::size_t m = 0; m < count; ++m) {
      const float cost = own + changes[m] * per_change;
      const std::uint32_t cheaper = -static_cast<std::uint32_t>(cost < next[m]);
      from[m] = (source & cheaper) | (from[m] & ~cheaper);
      next[m] = std::min(cost, next[m]);
    }
  }
  next_width_ = width_;
  next_first_ = first_;
  for (std::size_t m = 0; m < count; ++m) {
    next_width_[m] = width_[from_[m]];
    next_first_[m] = first_[from_[m]];
  }
  cost_.swap(next_cost_);
  width_.swap(next_width_);
  first_.swap(next_first_);
}

std::vector<RowBand::Sweep::Step> RowBand::Sweep::steps() const {
  std::vector<Step> result(memories_.size());
  std::size_t member = best_;
  for (std::size_t i = memories_.size(); i-- > 0;) {
    result[i] = {band_->members_[member], memories_[i].start[member]};
    member = memories_[i].from[member];
  }
  return result;
}

}  // namespace waferloom::placer
