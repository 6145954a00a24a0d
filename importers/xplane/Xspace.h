#pragma once
// Profiles of XLA (*.xplane.pb, tsl/profiler/protobuf/xplane.proto): a space of planes (devices,
// the host), of lines (streams, threads) of events, whose names and constant facts stand in tables
// of their plane. These tables come behind the events, so that a space is read twice: readSpace()
// takes what is not an event, and eachEvent() the events. Memory grows with the tables alone.

#include "importers/common/MessageFields.h"
#include "importers/common/Source.h"

#include <unordered_map>

namespace trainscope::importers::xplane {

// Facts of an event, of its kind (its metadata) or of a plane. Texts are valid as long as what they
// were read from.
struct Stats {
    std::optional<std::int64_t> flops;
    std::optional<std::int64_t> bytesAccessed;
    std::optional<std::int64_t> correlation;
    std::optional<std::int64_t> step; // step_num
    std::optional<std::int64_t> group; // group_id
    std::optional<std::int64_t> profileStart; // unix ns
    std::optional<double> peakTeraflops;
    std::optional<double> peakGigabytes; // per second, of the memory
    std::string_view hloCategory;
    std::string_view hloOp;
    std::string_view hloModule;
    std::string_view frameworkOp; // tf_op
    std::string_view shape; // shape_with_layout
    std::string_view kernelDetails;
    std::string_view copyDetails; // memcpy_details, memset_details
    std::string_view deviceType; // device_type_string
};

// The kind of events that a line repeats.
struct EventKind {
    std::string name;
    std::string shortName; // display_name; may be empty
    std::string stats; // as they are in the file
};

struct Line {
    std::int64_t id = 0;
    std::string name;
    std::int64_t start = 0; // ns, of the offsets of its events
    std::int64_t events = 0;
};

enum class PlaneKind { Device, Host, Facts, Other };

struct Plane {
    std::string name;
    PlaneKind kind = PlaneKind::Other;
    int device = -1; // "/device:GPU:3", "/device:TPU:3"
    std::string part; // behind the number: "SparseCore 0"
    std::vector<Line> lines;
    std::unordered_map<std::int64_t, EventKind> kinds;
    std::unordered_map<std::int64_t, std::string> statNames;
    std::string stats; // the plane's, as they are in the file

    // Reads `stats` of the plane or one of its kinds, or of an event.
    void take(std::string_view stats, Stats& into) const;
    [[nodiscard]] const EventKind* kindOf(std::int64_t number) const;
};

struct Space {
    std::vector<Plane> planes;
    std::vector<std::string> hosts;
    std::int64_t damages = 0; // messages that could not be read
    std::int64_t tooLong = 0; // facts that are longer than any that is of use
    std::string problem; // the reason of an early end; empty: none
    std::uint64_t bytes = 0; // uncompressed
};

// True for the first bytes of such a file.
bool isSpace(std::string_view head);

Result<Space> readSpace(
    const SourceTree& tree, const std::string& path, const WireStream::GoesOn& goesOn);

struct Event {
    std::int64_t kind = 0;
    std::int64_t offsetPs = 0;
    std::int64_t durationPs = 0;
    bool isSum = false; // several occurrences, without a time
    std::string_view stats; // for Plane::take(), of the event alone
};

// The events of planes of a kind, in the order of the file. Either may end the walk with
// an error.
struct EventVisitor {
    PlaneKind kind = PlaneKind::Device;
    std::function<Status(const Plane&, const Line&, const Event&)> event;
    std::function<Status(const Plane&, const Line&)> endOfLine;
};
Status eachEvent(const SourceTree& tree, const std::string& path, const Space& space,
    const WireStream::GoesOn& goesOn, const EventVisitor& visitor,
    std::int64_t& damages); // counts events that cannot be read

} // namespace trainscope::importers::xplane
