#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "model/errors.h"
#include "sim/network_kind.h"
#include "sim/pipeline_observers.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"
#include "tests/support/close_to.h"

namespace waferloom::sim {
namespace {

using test::close_to;

/// Stages of so many picoseconds in a row, with tensors of no bytes between them.
PipelineSpec chain(const std::vector<Picoseconds>& services) {
  PipelineSpec spec;
  for (std::size_t i = 0; i < services.size(); ++i) {
    StageSpec stage{"s" + std::to_string(i), services[i], services[i],
                    static_cast<std::int64_t>(services.size() - i)};
    spec.stages.push_back(stage);
  }
  for (std::size_t i = 1; i < services.size(); ++i) {
    ChannelSpec channel;
    channel.name = "c" + std::to_string(i);
    channel.producer = i - 1;
    channel.consumer = i;
    spec.channels.push_back(channel);
  }
  return spec;
}

/// The same with tensors that move between tiles (i, 0) and (i + 1, 0), and one from and one to a
/// port at either end.
PipelineSpec chain_on_mesh(const std::vector<Picoseconds>& services, std::int64_t bytes) {
  PipelineSpec spec = chain(services);
  for (std::size_t i = 0; i < spec.channels.size(); ++i) {
    const auto x = static_cast<std::int64_t>(i) + 1;
    spec.channels[i].bytes = bytes;
    spec.channels[i].lanes = {{{x, 0}, {x + 1, 0}}};
  }
  const auto last = static_cast<std::int64_t>(services.size());
  spec.ports = {{"in", {0, 0}}, {"out", {last + 1, 0}}};
  ChannelSpec in;
  in.consumer = 0;
  in.bytes = bytes;
  in.lanes = {{{0, 0}, {1, 0}}};
  in.ports = {0};
  ChannelSpec out;
  out.producer = services.size() - 1;
  out.bytes = bytes;
  out.lanes = {{{last, 0}, {last + 1, 0}}};
  out.ports = {1};
  spec.channels.push_back(in);
  spec.channels.push_back(out);
  return spec;
}

Hardware row_of_tiles(std::size_t stages) {
  return small_fabric(static_cast<std::int64_t>(stages) + 2, 1);
}

/// Writes down in which order stages work.
class OrderObserver : public PipelineObserver {
 public:
  explicit OrderObserver(std::size_t stages) : orders(stages) {}
  void on_task(std::size_t stage, bool backward, std::int64_t, Picoseconds, Picoseconds) override {
    orders[stage] += backward ? 'B' : 'F';
  }
  void on_shipment(std::size_t, bool, std::int64_t, Picoseconds, Picoseconds) override {
    ++shipments;
  }
  std::vector<std::string> orders;
  int shipments = 0;
};

ThroughputReport run(const PipelineSpec& spec, const Hardware& hardware, SimulateOptions options) {
  options.extrapolate = false;
  return simulate(spec, hardware, options);
}

TEST_CASE("equal stages without communication: (m + p - 1) services for m samples on p stages") {
  for (const std::int64_t samples : {1, 2, 9}) {
    for (const std::size_t stages : {1, 3, 6}) {
      SimulateOptions options;
      options.samples = samples;
      const ThroughputReport report =
          run(chain(std::vector<Picoseconds>(stages, 700)), small_fabric(4, 4), options);
      CHECK(report.makespan == (samples + static_cast<std::int64_t>(stages) - 1) * 700);
      CHECK(report.first_sample == static_cast<std::int64_t>(stages) * 700);
    }
  }
}

/// Four equal stages in training on eight samples, with room for all of them.
struct Training {
  PipelineSpec spec = chain({10, 10, 10, 10});
  OrderObserver observer{4};

  Training() {
    for (ChannelSpec& channel : spec.channels) channel.buffer_samples = 8;
    spec.training = true;
  }
  ThroughputReport run_all() {
    SimulateOptions options;
    options.samples = 8;
    options.observers = {&observer};
    return run(spec, small_fabric(2, 2), options);
  }
};

TEST_CASE("1F1B: the order of forward and backward on every stage") {
  Training training;
  training.run_all();
  CHECK(training.observer.orders[0] == "FFFFBFBFBFBFBBBB");
  CHECK(training.observer.orders[1] == "FFFBFBFBFBFBFBBB");
  CHECK(training.observer.orders[3] == "FBFBFBFBFBFBFBFB");
  CHECK(training.observer.shipments == 2 * 3 * 8);
}

TEST_CASE(
    "memory: reads come before forward and backward, writes go out behind, ports serve both") {
  // A stage of 10 ps forward and 20 backward; the port moves a byte in a picosecond.
  PipelineSpec spec = chain({10});
  spec.training = true;
  spec.stages[0].backward = 20;
  spec.ports = {{"m", {0, 0}, 1.0, 0, true}};
  ChannelSpec read;
  read.name = "read";
  read.consumer = 0;
  read.bytes = 30;
  read.backward_bytes = 100;
  read.lanes = {{{0, 0}, {0, 0}}};
  read.ports = {0};
  read.streams = true;
  ChannelSpec written = read;
  written.name = "written";
  written.consumer = ChannelSpec::kOutside;
  written.producer = 0;
  written.bytes = 5;
  written.backward_bytes = 7;
  spec.channels = {read, written};
  SimulateOptions options;
  options.samples = 1;
  options.extrapolate = false;
  Hardware hardware = small_fabric(1, 1);
  hardware.link = {};
  hardware.group_link = {};
  const ThroughputReport throughput_report = run(spec, hardware, options);
  // Read 30, forward 10, read 100, backward 20; a transfer takes at least a picosecond besides.
  CHECK(throughput_report.makespan == (30 + 1) + 10 + (100 + 1) + 20);
  CHECK(throughput_report.stages[0].compute == 30);
  CHECK(throughput_report.stages[0].edge == 132);
  CHECK(throughput_report.ports[0].bytes_in + throughput_report.ports[0].bytes_out >= 130 + 5);
  CHECK(throughput_report.ports[0].held_bytes == 0);
  options.samples = 50;
  spec.stages[0].most_in_flight = 4;
  const ThroughputReport many = run(spec, hardware, options);
  // In the long run the port is what takes longest.
  CHECK(many.bound == Bound::dram);
  CHECK(many.makespan >= 50 * 130);
  CHECK(many.makespan < 51 * 130 + 60);
}

TEST_CASE("GPipe: all forward, then all backward") {
  Training training;
  for (StageSpec& stage : training.spec.stages) stage.most_in_flight = 8;
  training.spec.backward_last = true;
  const ThroughputReport report = training.run_all();
  for (const std::string& order : training.observer.orders) CHECK(order == "FFFFFFFFBBBBBBBB");
  CHECK(report.makespan == 2 * (8 + 3) * 10);
}

TEST_CASE("what a stage exchanges counts as communication, not as compute") {
  PipelineSpec spec = chain({10, 10});
  spec.stages[1].forward_exchange = 3;
  SimulateOptions options;
  options.samples = 5;
  const ThroughputReport report = run(spec, small_fabric(2, 2), options);
  CHECK(report.stages[0].compute == 50);
  CHECK(report.stages[1].compute == 35);
  CHECK(report.stages[1].communication == 15);
}

TEST_CASE("a gradient goes first where the next sample could go too") {
  PipelineSpec spec = chain({10, 10});
  spec.stages[0].most_in_flight = 4;
  for (ChannelSpec& channel : spec.channels) channel.buffer_samples = 8;
  spec.training = true;
  OrderObserver observer(2);
  SimulateOptions options;
  options.samples = 6;
  options.observers = {&observer};
  run(spec, small_fabric(2, 2), options);
  CHECK(observer.orders[0] == "FFFBFBFBFBBB");
  CHECK(observer.orders[1] == "FBFBFBFBFBFB");
}

TEST_CASE("a skip never stalls a balanced pipeline if its buffer is as deep as it is long") {
  for (const std::int64_t buffer : {5, 2}) {
    PipelineSpec spec = chain({100, 100, 100, 100, 100});
    ChannelSpec skip;
    skip.producer = 0;
    skip.consumer = 4;
    skip.buffer_samples = buffer;
    spec.channels.push_back(skip);
    SimulateOptions options;
    options.samples = 40;
    const ThroughputReport report = run(spec, small_fabric(2, 2), options);
    if (buffer == 5) {
      CHECK(report.makespan == (40 + 4) * 100);
      CHECK(report.bound == Bound::compute);
    } else {
      CHECK(report.makespan > 2 * 40 * 100);
      CHECK(report.bound == Bound::schedule);
      CHECK(report.bound_by == "how stages and buffers wait for one another");
    }
  }
}

TEST_CASE("extrapolation gives the times of the whole run, and says so") {
  const PipelineSpec spec = chain_on_mesh({5'000, 9'000, 4'000}, 3);
  for (const NetworkKind network : {NetworkKind::analytic, NetworkKind::fair}) {
    SimulateOptions options;
    options.network = network;
    options.samples = 500;
    const ThroughputReport whole = run(spec, row_of_tiles(3), options);
    const ThroughputReport part = simulate(spec, row_of_tiles(3), options);
    CHECK(whole.simulated == 500);
    CHECK(part.simulated < 50);
    CHECK(part.steady);
    CHECK(part.makespan == whole.makespan);
    CHECK(part.period == 9'000);
    CHECK(part.bound_by == "stage s1");
  }
}

TEST_CASE("a stage's time is all accounted for, and so are the bytes of every link") {
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<Picoseconds> services(2 + random() % 4);
    for (Picoseconds& service : services) service = static_cast<Picoseconds>(random() % 20'000);
    const auto bytes = static_cast<std::int64_t>(1 + random() % 12);
    PipelineSpec spec = chain_on_mesh(services, bytes);
    spec.training = random() % 3 == 0;
    for (ChannelSpec& channel : spec.channels) {
      channel.buffer_samples = static_cast<std::int64_t>(1 + random() % 3);
      if (channel.producer != ChannelSpec::kOutside && channel.consumer != ChannelSpec::kOutside) {
        channel.adapters = static_cast<int>(random() % 3);
        channel.adapter_pass = static_cast<Picoseconds>(random() % 5'000);
      }
    }
    SimulateOptions options;
    options.network = static_cast<NetworkKind>(random() % 4);
    options.samples = static_cast<std::int64_t>(1 + random() % 12);
    const ThroughputReport report = run(spec, row_of_tiles(services.size()), options);
    CHECK(report.simulated == options.samples);
    Picoseconds busiest = 0;
    for (std::size_t i = 0; i < services.size(); ++i) {
      const StageTimes& stage = report.stages[i];
      CHECK(stage.compute == options.samples * services[i] * (spec.training ? 2 : 1));
      CHECK(stage.total() == report.simulated_time);
      busiest = std::max(busiest, stage.compute);
    }
    CHECK(report.makespan >= busiest);
    std::int64_t carried = 0;
    for (const std::int64_t link : report.link_bytes) carried += link;
    const auto tensors = static_cast<std::int64_t>(services.size()) + 1;
    const std::int64_t gradients =
        spec.training ? static_cast<std::int64_t>(services.size()) - 1 : 0;
    CHECK(carried == options.samples * bytes * (tensors + gradients));
  }
}

TEST_CASE("twice the rates and half the latencies halve every time") {
  for (const NetworkKind network :
       {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair}) {
    for (std::uint64_t seed = 1; seed <= 350; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      std::vector<Picoseconds> services(3);
      for (Picoseconds& service : services)
        service = static_cast<Picoseconds>(2 * (random() % 8'000));
      PipelineSpec slow = chain_on_mesh(services, static_cast<std::int64_t>(2 + random() % 9));
      slow.ports[0].bytes_per_ps = 0.002;
      slow.ports[1].response = 4'000;
      PipelineSpec fast = slow;
      for (StageSpec& stage : fast.stages) stage.forward /= 2;
      fast.ports[0].bytes_per_ps *= 2;
      fast.ports[1].response /= 2;
      Hardware slow_fabric = row_of_tiles(3);
      Hardware fast_fabric = slow_fabric;
      fast_fabric.link = {*slow_fabric.link.bytes_per_s * 2, slow_fabric.link.latency_ps / 2};
      fast_fabric.group_link = fast_fabric.link;
      SimulateOptions options;
      options.network = network;
      options.samples = 20;
      const ThroughputReport report = run(slow, slow_fabric, options);
      const ThroughputReport two = run(fast, fast_fabric, options);
      CHECK(std::abs(report.makespan - 2 * two.makespan) <=
            static_cast<Picoseconds>(report.events + two.events));
    }
  }
}

/// A scenario of three stages, and the one thing that can be doubled in it.
struct Scenario {
  PipelineSpec spec = chain_on_mesh({8'000, 8'000, 8'000}, 8);
  Hardware hardware = row_of_tiles(3);

  void double_compute() {
    for (StageSpec& stage : spec.stages) stage.forward /= 2;
  }
  void double_links() {
    *hardware.link.bytes_per_s *= 2;
    hardware.group_link = hardware.link;
  }
  void double_ports() {
    for (PortSpec& port : spec.ports) port.bytes_per_ps *= 2;
  }
  void double_adapters() {
    for (ChannelSpec& channel : spec.channels) channel.adapter_pass /= 2;
  }
  void double_buffers() {
    for (ChannelSpec& channel : spec.channels) channel.buffer_samples *= 2;
  }
  double rate(Bound* bound = nullptr) const {
    SimulateOptions options;
    options.samples = 200;
    const ThroughputReport report = simulate(spec, hardware, options);
    if (bound != nullptr) *bound = report.bound;
    return report.samples_per_s;
  }
};

TEST_CASE("the bound that is named is real: doubling it helps, doubling another does not") {
  using Change = void (Scenario::*)();
  struct Case {
    Bound bound;
    void (*set_up)(Scenario&);
    Change helps;
  };
  const Case cases[] = {
      {Bound::compute, [](Scenario& s) { s.spec.stages[1].forward = 60'000; },
       &Scenario::double_compute},
      {Bound::link,
       [](Scenario& s) {
         s.hardware.link.bytes_per_s = 100'000'000;
         s.hardware.group_link = s.hardware.link;
         for (ChannelSpec& channel : s.spec.channels) channel.buffer_samples = 8;
       },
       &Scenario::double_links},
      {Bound::io, [](Scenario& s) { s.spec.ports[0].bytes_per_ps = 0.0001; },
       &Scenario::double_ports},
      {Bound::dram,
       [](Scenario& s) {
         s.spec.ports[0].bytes_per_ps = 0.0001;
         for (PortSpec& port : s.spec.ports) port.is_memory = true;
       },
       &Scenario::double_ports},
      {Bound::adapter,
       [](Scenario& s) {
         s.spec.channels[0].adapters = 1;
         s.spec.channels[0].adapter_pass = 80'000;
         for (ChannelSpec& channel : s.spec.channels) channel.buffer_samples = 8;
       },
       &Scenario::double_adapters},
      {Bound::schedule,
       [](Scenario& s) {
         // One sample at a time is on the long way between two stages.
         for (ChannelSpec& channel : s.spec.channels) channel.buffer_samples = 1;
         s.hardware.link.latency_ps = 3'000'000;
         s.hardware.group_link = s.hardware.link;
       },
       &Scenario::double_buffers},
  };
  const Change changes[] = {&Scenario::double_compute, &Scenario::double_links,
                            &Scenario::double_ports, &Scenario::double_adapters};
  for (const Case& tried : cases) {
    CAPTURE(bound_name(tried.bound));
    Scenario scenario;
    tried.set_up(scenario);
    Bound bound = Bound::compute;
    const double rate = scenario.rate(&bound);
    CHECK(bound_name(bound) == std::string(bound_name(tried.bound)));
    Scenario helped = scenario;
    (helped.*tried.helps)();
    CHECK(helped.rate() > 1.9 * rate);  // latencies stay as they are
    for (const Change change : changes) {
      if (change == tried.helps) continue;
      Scenario other = scenario;
      (other.*change)();
      CHECK(other.rate() < 1.005 * rate);  // the filling of the pipeline
    }
  }
}

TEST_CASE("a burst through deep buffers is not taken for the steady state") {
  // As many samples as there is room for come at full speed, then nothing until the first is over
  // the long way out.
  struct Case {
    std::int64_t buffer;
    Picoseconds latency;
  };
  const Case cases[] = {
      {2, 1'000'000}, {8, 1'000'000}, {20, 1'000'000}, {20, 110'000}, {40, 215'000}};
  for (const Case& tried : cases) {
    CAPTURE(tried.buffer);
    PipelineSpec spec = chain_on_mesh({3'000, 5'000, 2'000}, 1);
    for (ChannelSpec& channel : spec.channels) channel.buffer_samples = tried.buffer;
    Hardware hardware = row_of_tiles(3);
    hardware.link.latency_ps = tried.latency;
    hardware.group_link = hardware.link;
    SimulateOptions options;
    options.network = NetworkKind::analytic;
    options.samples = 400;
    const ThroughputReport whole = run(spec, hardware, options);
    const ThroughputReport part = simulate(spec, hardware, options);
    CHECK(part.makespan == close_to(static_cast<double>(whole.makespan)));
    CHECK(part.bound == whole.bound);
  }
}

TEST_CASE("time that no clock could tell is an error, not an overflow") {
  PipelineSpec spec = chain_on_mesh({1, 1}, 1'000'000'000'000);
  Hardware hardware = row_of_tiles(2);
  hardware.link.bytes_per_s = 1;
  hardware.group_link = hardware.link;
  for (const NetworkKind network :
       {NetworkKind::analytic, NetworkKind::exclusive, NetworkKind::fair}) {
    SimulateOptions options;
    options.network = network;
    CHECK_THROWS_WITH_AS(simulate(spec, hardware, options), doctest::Contains("2^62 ps"),
                         RequestError);
  }
}

TEST_CASE("a lane that cannot reach its end is an error before the run") {
  PipelineSpec spec = chain_on_mesh({1, 1}, 4);
  Hardware hardware = row_of_tiles(2);
  hardware.wafer.dead = {{1, 0, 1, 1}};
  CHECK_THROWS_WITH_AS(simulate(spec, hardware, {}), doctest::Contains("no way from tile"),
                       InfeasibleError);
}

}  // namespace
}  // namespace waferloom::sim
