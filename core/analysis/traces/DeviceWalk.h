#pragma once
// One pass over all that a rank's trace says about a device: its streams, their annotations and the
// rank's host threads, merged by time. Visitors are told each piece of work with what launched it,
// and the pieces of time in which the same kernels run. Memory does not grow with the spans.

#include "core/analysis/traces/ActivitySweep.h"
#include "core/analysis/traces/HostTimeline.h"
#include "core/analysis/traces/KernelNames.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainscope::analysis {

// The tracks that concern one device of one rank.
struct DeviceTracks {
    int rank = -1;
    int device = -1;
    TimeRange extent; // first start to last end of what ran on it
    std::vector<Track> streams;
    std::vector<Track> annotations; // of the streams
    std::vector<Track> threads; // of the rank
};
// By rank, then device.
Result<std::vector<DeviceTracks>> tracedDevices(const store::Store& store, const Run& run);

struct DeviceWork {
    const Span& span; // kernel, copy or set
    std::size_t stream; // index in DeviceTracks::streams
    const KernelNames::Kernel* kernel = nullptr; // of kernels
    std::optional<Launch> launch;
    Telling telling = {}; // of kernels, those of communication too
    bool isPipelineTransfer = false; // SendRecv that is no all-to-all
};

class DeviceVisitor {
public:
    DeviceVisitor() = default;
    DeviceVisitor(const DeviceVisitor&) = delete;
    DeviceVisitor& operator=(const DeviceVisitor&) = delete;
    virtual ~DeviceVisitor() = default;

    // In order of start.
    virtual Status work(const DeviceWork&) { return {}; }
    // Without gaps, in order, from the first kernel's start to the last one's end (or to the edges
    // of the walk's range, where it has one).
    virtual Status piece(TimeRange, std::span<const ActiveKernel>) { return {}; }
};

// How many kernels got their mark from what (see Phase.h).
struct MarkEvidence {
    std::int64_t launches = 0;
    std::int64_t streamAnnotations = 0;
    std::int64_t hostAnnotations = 0;
    std::int64_t names = 0;
    std::int64_t none = 0;
    bool tellsDirections = false; // unmarked compute is forward

    [[nodiscard]] Phase unmarked() const {
        return tellsDirections ? Phase::Forward : Phase::Compute;
    }
};

// range: kAllTime, or the part of the trace to look at; work that reaches over its edges is told
// whole, pieces end there.
Result<MarkEvidence> walkDevice(const store::Store& store, const DeviceTracks& device,
    TimeRange range, std::span<DeviceVisitor* const> visitors, const Progress& progress = {});

} // namespace trainscope::analysis
