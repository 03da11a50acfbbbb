#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/kernel.h"
#include "placer/shapes/shape_library.h"

namespace waferloom::placer {

/// What a neighbour sees of an execution: its signature, where some edge looks at it, and whether
/// its long side is odd, which decides if two centres can be level (docs/placer.md, parity).
/// Coordinates that no edge looks at are 0.
struct Port {
  Signature ports{0, 0, 0, 0};
  bool odd_length = false;
  bool operator==(const Port&) const = default;
};

/// One way to give a kernel a shape behind a port.
struct PortOption {
  std::uint32_t port = 0;    ///< index in PortOptions::ports
  std::int64_t thin = 0;     ///< shorter side, tiles
  std::int64_t length = 0;   ///< longer side, tiles
  Signature cut{};           ///< all of the signature, seen or not
  std::int64_t c_rest = 1;   ///< c of the convolutions that no neighbour sees, as in KernelCut
  std::int64_t extra_k = 0;  ///< k beyond the least, for the parity of the long side
  std::int64_t number = 0;   ///< of a list of shapes, from 1; 0 for all others
  std::int64_t area() const { return thin * length; }
};

/// All that can matter of a kernel under one time cap. For each port only options that no other
/// one beats in both thin side and area.
struct PortOptions {
  std::vector<Port> ports;
  std::vector<PortOption> options;
  std::size_t examined = 0;  ///< before those that others beat were dropped: the work of listing
  bool given_up = false;     ///< too many, or stopped; the list is empty
};

/// What to list: executions that exist, or outlines for a lower bound.
enum class PortRule {
  /// Cuts at the beginning of their class and one above (for parity); every option exists.
  executions,
  /// Each option stands for all cuts of its class whose long side has its parity: it has the height
  /// of the smallest and the memory of the largest. No execution is cheaper than the
  /// option that stands for it, and executions that agree in h, w or c fall into the same class.
  /// Room for buffers is left out: outlines without it bound those with it, too.
  outlines
};

/// Which coordinates of a kernel's signature some edge looks at.
struct SeenPorts {
  bool input = false;
  bool output = false;
  bool parity = false;
  bool channels = true;  ///< whether c is told apart at all; if not, all c agree
  bool operator==(const SeenPorts&) const = default;
};

class MergedChannels;

/// What a caller needs no options beyond.
struct PortLimits {
  /// No option larger than this, in tiles.
  std::int64_t most_area = std::numeric_limits<std::int64_t>::max();
  /// If not negative: of a block no option that another one, whatever its port, equals in area and
  /// beats by this many tiles of thin side.
  std::int64_t thin_slack = -1;
  /// Whether an option is dropped only if another one behind its port is no larger in thin side and
  /// length, rather than in thin side and area: for those who charge for the long side.
  bool by_length = false;
  /// If given, outlines take their c from these coarser classes.
  MergedChannels* merged = nullptr;
  /// Listing more than this is given up.
  std::size_t most_options = std::numeric_limits<std::size_t>::max();
  /// If given, looked at once for each image cut; raised, listing is given up.
  const RunControl* stop = nullptr;
};

/// A range of cuts that one outline stands for.
struct CutClass {
  std::int64_t first = 1;
  std::int64_t last = 1;
};

/// Classes of h, w and c that all kernel types of a problem cut alike: within a class every
/// ⌈size/cut⌉ of every convolution is the same. Immutable; one per problem.
class PortClasses {
 public:
  explicit PortClasses(const ShapeLibrary& library);

  /// The options of a type under a cap. O(classes of h·w·c), for blocks times the c of the output
  /// and of the rest.
  PortOptions options(std::size_t type, std::int64_t time, const SeenPorts& seen, PortRule rule,
                      const PortLimits& limits = {}) const;

  /// The execution of an option that exists; nothing for an outline that does not.
  std::optional<Execution> execution(std::size_t type, std::int64_t time,
                                     const PortOption& option) const;

  /// First members of the classes, ascending from 1.
  const std::vector<std::int64_t>& heights() const { return heights_; }
  const std::vector<std::int64_t>& widths() const { return widths_; }
  const std::vector<std::int64_t>& channels() const { return channels_; }

 private:
  const ShapeLibrary* library_;
  std::vector<std::int64_t> heights_;
  std::vector<std::int64_t> widths_;
  std::vector<std::int64_t> channels_;
};

/// Classes of c under one cap and one image cut, coarser than PortClasses::channels(): neighbours
/// are joined where no convolution of any type needs another k. Ports whose c comes from here are
/// comparable where h and w agree, and nowhere else (ChannelRule::within_image). Found when asked.
class MergedChannels {
 public:
  MergedChannels(const ShapeLibrary& library, const PortClasses& classes, std::int64_t time);

  /// O(classes of c · convolutions) the first time for an image cut.
  const std::vector<CutClass>& of(const CutClass& h, const CutClass& w);

 private:
  const ShapeLibrary* library_;
  const PortClasses* classes_;
  std::int64_t time_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CutClass>> found_;
};

}  // namespace waferloom::placer
