#include "model/machine/hardware_rows.h"

// Ports of a wafer's edge. One entry of a file may stand for several that are alike and evenly
// apart.

namespace waferloom {
namespace {

/// Ports from `first` to tile `last` of its side, `every` so many tiles.
struct PortRun {
  EdgePort first;
  std::int64_t last = 0;
  std::int64_t every = 1;
};

}  // namespace

template <>
const TypeRows& rows_of<PortRun>() {
  constexpr NumberRange kOnSide{0, kMaxWaferSide - 1};
  constexpr NumberRange kPortRate{1, kMaxRate};
  static const TypeRows rows = rows_for<PortRun>(
      "a port",
      joined(
          {inside(&PortRun::first,
                  {needed("side", &EdgePort::side, {"the side of the mesh where the port is"}),
                   needed("position", &EdgePort::position,
                          {"the port's tile, counted along its side from 0; a port on a tile that "
                           "is dead or cut off is not used",
                           kOnSide})}),
           {derived(
                "last", &PortRun::last, [](const PortRun& run) { return run.first.position; },
                {"the tile of the last of several such ports along the side; by default position: "
                 "one port",
                 kOnSide}),
            row("every", &PortRun::every,
                {"tiles from one of these ports to the next", NumberRange{1, kMaxWaferSide}})},
           terse(inside(
               &PortRun::first,
               {row("inset", &EdgePort::inset,
                    {"tiles between the side and the port's tile: 0 on the edge", kOnSide})})),
           inside(&PortRun::first, {row("bytes_per_s", &EdgePort::bytes_per_s,
                                        {"bytes that the port moves in a second in one direction, "
                                         "never more than the link of its tile; null: no limit",
                                         kPortRate}),
                                    row("response_ps", &EdgePort::response_ps,
                                        {"picoseconds that the port adds to each transfer",
                                         NumberRange{0, 1'000'000'000'000}}),
                                    row("capacity_bytes", &EdgePort::capacity_bytes,
                                        {"bytes of the memory behind the port; null: no limit",
                                         NumberRange{0, kMaxRate}})})}));
  return rows;
}

namespace {

/// Whether a port is as another but for its place.
bool is_alike(EdgePort port, const EdgePort& other) {
  port.position = other.position;
  return port == other;
}

/// Cuts a list of ports into runs, which stand for the same ports in the same order.
std::vector<PortRun> port_runs(const std::vector<EdgePort>& ports) {
  std::vector<PortRun> runs;
  for (const EdgePort& port : ports) {
    if (!runs.empty() && is_alike(port, runs.back().first)) {
      PortRun& run = runs.back();
      const std::int64_t step = port.position - run.last;
      const bool is_second = run.last == run.first.position;
      if (is_second && step > 0) run.every = step;
      if (step > 0 && step == run.every) {
        run.last = port.position;
        continue;
      }
    }
    runs.push_back({port, port.position, 1});
  }
  return runs;
}

/// Demands that an entry's ports are on their side of the mesh.
void check_place(const JsonReader& reader, const JsonValue& item, const PortRun& run,
                 const Wafer& wafer) {
  const bool is_upright = run.first.side == Direction::east || run.first.side == Direction::west;
  const NumberRange on_side{0, (is_upright ? wafer.height : wafer.width) - 1};
  const std::string where = " on the " +
                            std::string(kDirectionNames[static_cast<std::size_t>(run.first.side)]) +
                            " side of this mesh";
  reader.whole(reader.at(item, "position"), "position" + where, on_side);
  if (const JsonValue* inset = JsonReader::find(item, "inset")) {
    reader.whole(*inset, "inset" + where, {0, (is_upright ? wafer.width : wafer.height) - 1});
  }
  if (const JsonValue* last = JsonReader::find(item, "last")) {
    reader.whole(*last, "last" + where, {run.first.position, on_side.most});
  }
}

void read_ports(const JsonReader& reader, const JsonValue& value, const std::string& key,
                const Wafer& wafer, std::vector<EdgePort>& ports) {
  const auto& items = reader.array(value, key + " as an array");
  const std::string most = std::to_string(kMaxEdgePorts);
  if (items.size() > kMaxEdgePorts) reader.fail(value, "at most " + most + " items in " + key);
  for (const JsonValue& item : items) {
    auto run = read_described<PortRun>(reader, item);
    check_place(reader, item, run, wafer);
    for (; run.first.position <= run.last; run.first.position += run.every) {
      if (ports.size() == kMaxEdgePorts) {
        reader.fail(item, "at most " + most + " ports in " + key);
      }
      ports.push_back(run.first);
    }
  }
}

class PortsType final : public ValueType {
 public:
  explicit PortsType(std::vector<EdgePort> Hardware::*ports) : ports_(ports) {}
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* into) const override {
    auto& hardware = *static_cast<Hardware*>(into);
    read_ports(reader, value, what, hardware.wafer, hardware.*ports_);
  }
  void write(const void* from, ValueSink& sink) const override {
    sink.open_list();
    for (const PortRun& run : port_runs(static_cast<const Hardware*>(from)->*ports_)) {
      write_rows(rows_of<PortRun>(), &run, sink);
    }
    sink.close();
  }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    schema.pair("type", "array");
    schema.pair("maxItems", kMaxEdgePorts);
    schema.key("items");
    schema.open_object();
    describe_rows(rows_of<PortRun>(), schema);
    schema.close();
  }

 private:
  std::vector<EdgePort> Hardware::*ports_;
};

}  // namespace

Row ports_row(std::string_view key, std::vector<EdgePort> Hardware::*ports, RowFacts facts) {
  return {key, facts, std::make_shared<PortsType>(ports), 0, false};
}

}  // namespace waferloom
