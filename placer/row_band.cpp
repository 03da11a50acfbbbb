#include "placer/row_band.h"

#include <map>
#include <tuple>

namespace waferloom {

RowBand::RowBand(std::int64_t height, std::vector<std::uint32_t> members,
                 const std::vector<TypesUnder>& all)
    : height_(height), members_(std::move(members)), all_(&all) {
  for (std::size_t agreement = 0; agreement < kAgreements; ++agreement) {
    Groups& groups = groups_[agreement];
    groups.mismatches = 3;
    for (const unsigned bit : {1U, 2U, 4U}) groups.mismatches -= agreement & bit ? 1 : 0;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::uint32_t> known;
    for (const std::uint32_t member : members_) {
      const ImageSplit& bands = all[member].bands;
      const auto key = std::make_tuple(agreement & 1U ? bands.h : 0, agreement & 2U ? bands.w : 0,
                                       agreement & 4U ? bands.c : 0);
      groups.of.push_back(
          known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
    }
    groups.count = static_cast<std::uint32_t>(known.size());
  }
}

RowBand::Sweep::Sweep(const RowBand& band, std::int64_t room)
    : band_(&band),
      room_(room),
      cost_(band.members_.size(), 0.0),
      width_(band.members_.size(), 0),
      first_(band.members_.size(), 0),
      from_(band.members_.size(), 0) {}

/// The cheapest signature to come from, for each: the same, or one that agrees in part of it.
void RowBand::Sweep::change(double per_change) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  next_cost_ = cost_;
  for (std::uint32_t m = 0; m < from_.size(); ++m) from_[m] = m;
  for (const Groups& groups : band_->groups_) {
    group_best_.assign(groups.count, kNone);
    for (std::uint32_t m = 0; m < cost_.size(); ++m) {
      std::uint32_t& best = group_best_[groups.of[m]];
      if (best == kNone || cost_[m] < cost_[best]) best = m;
    }
    const double price = groups.mismatches * per_change;
    for (std::size_t m = 0; m < cost_.size(); ++m) {
      const std::uint32_t best = group_best_[groups.of[m]];
      if (cost_[best] + price >= next_cost_[m]) continue;
      next_cost_[m] = cost_[best] + price;
      from_[m] = best;
    }
  }
  next_width_.resize(width_.size());
  next_first_.resize(first_.size());
  for (std::size_t m = 0; m < from_.size(); ++m) {
    next_width_[m] = width_[from_[m]];
    next_first_[m] = first_[from_[m]];
  }
  cost_.swap(next_cost_);
  width_.swap(next_width_);
  first_.swap(next_first_);
}

std::vector<std::uint32_t> RowBand::Sweep::signatures() const {
  std::vector<std::uint32_t> result(steps_.size());
  std::size_t member = best_;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    result[i] = band_->members_[member];
    member = steps_[i][member];
  }
  return result;
}

}  // namespace waferloom
