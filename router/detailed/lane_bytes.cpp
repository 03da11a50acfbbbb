#include "router/detailed/lane_bytes.h"

#include <algorithm>
#include <cmath>

namespace waferloom::router {
namespace {

class Balance {
 public:
  Balance(const std::vector<LanePath>& lanes, const Mesh& mesh) {
    tile_rate_ = mesh.tile_bytes_per_ps();
    first_.push_back(0);
    std::vector<LinkIndex> passed;
    std::vector<double> times;
    for (const LanePath& lane : lanes) {
      for_each_path_link(mesh, lane.task.from.tile, lane.legs, [&](LinkIndex link) {
        passed.push_back(link);
        times.push_back(link_time(mesh, link, lane.task.bytes));
        rates_.push_back(mesh.bytes_per_ps(link));
      });
      first_.push_back(passed.size());
      bytes_.push_back(static_cast<double>(lane.task.bytes));
    }
    // A wafer has millions of links, lanes pass few of them.
    std::vector<LinkIndex> used = passed;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    loads_.assign(used.size(), 0);
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const auto at = std::lower_bound(used.begin(), used.end(), passed[i]);
      links_.push_back(static_cast<std::size_t>(at - used.begin()));
      loads_[links_.back()] += times[i];
    }
  }

  double bytes(std::size_t lane) const { return bytes_[lane]; }
  double busiest() const {
    return loads_.empty() ? 0 : *std::max_element(loads_.begin(), loads_.end());
  }

  /// Those of one tensor, [begin, end).
  void balance(std::size_t begin, std::size_t end) {
    double sum = 0;
    double shares = 0;
    shares_.clear();
    for (std::size_t lane = begin; lane < end; ++lane) {
      sum += bytes_[lane];
      shares_.push_back(bytes_[lane] / std::sqrt(needs(lane)));
      shares += shares_.back();
    }
    if (shares <= 0) return;
    for (std::size_t lane = begin; lane < end; ++lane) {
      set(lane, std::max(1.0, sum * shares_[lane - begin] / shares));
    }
  }

  /// Of lanes [begin, end).
  double longest_ramp(std::size_t begin, std::size_t end) const {
    return *std::max_element(bytes_.begin() + static_cast<std::ptrdiff_t>(begin),
                             bytes_.begin() + static_cast<std::ptrdiff_t>(end)) /
           tile_rate_;
  }

 private:
  static double time(double bytes, double rate) { return bytes / rate; }

  /// Of a sample's time, what the busiest link of a lane does, or the ramp of its ends.
  double needs(std::size_t lane) const {
    double most = bytes_[lane] / tile_rate_;
    for (std::size_t i = first_[lane]; i < first_[lane + 1]; ++i) {
      most = std::max(most, loads_[links_[i]]);
    }
    return std::max(most, 1e-9);
  }

  void set(std::size_t lane, double bytes) {
    const double more = bytes - bytes_[lane];
    bytes_[lane] = bytes;
    for (std::size_t i = first_[lane]; i < first_[lane + 1]; ++i) {
      loads_[links_[i]] += time(more, rates_[i]);
    }
  }

  double tile_rate_ = 0;
  std::vector<double> bytes_;       // by lane
  std::vector<std::size_t> first_;  // of a lane's links
  std::vector<std::size_t> links_;  // that lanes pass, by their place in loads_
  std::vector<double> rates_;       // of these
  std::vector<double> loads_;       // of links that are passed: picoseconds of a sample
  std::vector<double> shares_;      // of the tensor at hand
};

/// Whole bytes near some real ones, with the same sum as before.
void set_bytes(std::vector<LanePath>& lanes, std::size_t begin, std::size_t end,
               const std::vector<double>& bytes) {
  std::int64_t sum = 0;
  double real = 0;
  std::int64_t given = 0;
  for (std::size_t lane = begin; lane < end; ++lane) {
    sum += lanes[lane].task.bytes;
    real += bytes[lane];
  }
  double so_far = 0;
  for (std::size_t lane = begin; lane < end; ++lane) {
    so_far += bytes[lane] / real;
    const auto left = static_cast<std::int64_t>(end - lane - 1);
    std::int64_t here = sum - given;
    if (left > 0) {
      const auto until = static_cast<std::int64_t>(std::llround(so_far * static_cast<double>(sum)));
      here = std::max<std::int64_t>(1, std::min(until - given, sum - given - left));
    }
    lanes[lane].task.bytes = here;
    given += here;
  }
}

}  // namespace

void balance_lane_bytes(std::vector<LanePath>& lanes, const Traffic& traffic,
                        const Hardware& hardware, const Mesh& mesh, std::int64_t rounds) {
  std::vector<std::size_t> tensors{0};
  for (std::size_t i = 1; i < lanes.size(); ++i) {
    if (lanes[i].tensor != lanes[i - 1].tensor) tensors.push_back(i);
  }
  tensors.push_back(lanes.size());
  Balance balance(lanes, mesh);
  // The busiest link, or adapter.
  const auto most = [&] {
    double time = balance.busiest();
    for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
      if (traffic.tensors[lanes[tensors[t]].tensor].adapters == 0) continue;
      const double pass = static_cast<double>(hardware.adapter_setup_ps) +
                          balance.longest_ramp(tensors[t], tensors[t + 1]);
      time = std::max(time, pass);
    }
    return time;
  };
  double least = most();
  std::vector<double> best;
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
      balance.balance(tensors[t], tensors[t + 1]);
    }
    const double time = most();
    if (time >= least) continue;
    least = time;
    best.resize(lanes.size());
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) best[lane] = balance.bytes(lane);
  }
  if (best.empty()) return;
  for (std::size_t t = 0; t + 1 < tensors.size(); ++t) {
    set_bytes(lanes, tensors[t], tensors[t + 1], best);
  }
}

}  // namespace waferloom::router
