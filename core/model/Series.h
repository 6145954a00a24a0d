#pragma once
// A series: the samples of one metric of one GPU, node, link or switch of one run, or of all of it.
// Values are the source's own numbers; multiplied by the scale they are SI. Missing samples are
// NaN.

#include "core/model/Id.h"
#include "core/model/Metric.h"
#include "core/model/Time.h"

namespace trainscope {

enum class SubjectKind { Gpu, Node, Link, Switch, Run };
constexpr auto namesOf(SubjectKind) {
    return enumNames("gpu", "node", "link", "switch", "run");
}

// The thing that was measured. GPU: rank set. Node: node set. Link: node and device ("ib0") set.
// Switch: device set ("sw0"), of no node. Run: none set, as the loss.
struct Subject {
    SubjectKind kind = SubjectKind::Gpu;
    int rank = -1;
    int node = -1;
    std::string device;

    bool operator==(const Subject&) const = default;
};

// The way that the sensor measured, as far as the source tells.
enum class SensorKind { Unknown, Instant, Averaged };
constexpr auto namesOf(SensorKind) {
    return enumNames("unknown", "instant", "averaged");
}

struct SeriesDescription {
    Metric metric;
    Subject subject;
    double scale = 1.0; // SI value = stored value × scale
    int counterBits = 0; // width of a wrapping counter: 32, 64; 0: not a counter
    SensorKind sensor = SensorKind::Unknown;
};

// A stored series with the statistics kept beside it; statistics are SI over the non-missing
// samples.
struct Series {
    SeriesId id;
    RunId run;
    SourceId source;
    SeriesDescription description;
    TimeRange range; // first sample to last sample + 1 ns
    std::int64_t count = 0; // all samples, missing included
    std::int64_t missing = 0;
    double first = 0.0;
    double last = 0.0;
    double min = 0.0;
    double max = 0.0;
    double mean = 0.0; // time-weighted: each sample holds until the next
    DurationNs period; // median time between samples; 0 for fewer than two moments
};

// A bucket: what a view reads for one pixel column of a series, SI. count 0: no sample in the
// column; the values are then the one that still holds there, NaN in a gap and outside the
// recording.
struct Bucket {
    float first = 0.0F;
    float last = 0.0F;
    float min = 0.0F; // over the samples and the value that holds when the column begins
    float max = 0.0F;
    float mean = 0.0F; // time-weighted inside the column
    std::uint32_t count = 0; // samples that are not missing
    bool gap = false; // missing samples or a hole in the recording touch this column
};

} // namespace trainscope
