#pragma once

#include <vector>

#include "sim/network/arrivals.h"
#include "sim/network/network.h"

namespace waferloom::sim {

/// No contention: a transfer takes its route's latency and its bytes at the rate of the slowest
/// link, whatever else is under way. PALM, Eq. 2 and 4.
class AnalyticNetwork : public Network {
 public:
  AnalyticNetwork(const Mesh& mesh, Picoseconds endpoint_latency)
      : Network(mesh), mesh_(mesh), endpoint_latency_(endpoint_latency) {}

  void submit(Picoseconds now, const Transfer& transfer) override {
    link_bytes_.count(transfer.route, transfer.bytes);
    ++events_;
    arrivals_.push(now + endpoint_latency_ + route_latency(mesh_, transfer.route) +
                       transmission_time(transfer.bytes, slowest_rate(mesh_, transfer.route)),
                   transfer.id);
  }
  Picoseconds next_time() override { return arrivals_.next_time(); }
  void advance(Picoseconds now, std::vector<TransferId>& arrived) override {
    events_ += arrivals_.take(now, arrived);
  }

 private:
  const Mesh& mesh_;
  Picoseconds endpoint_latency_;
  Arrivals arrivals_;
};

}  // namespace waferloom::sim
