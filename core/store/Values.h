#pragma once
// The plain values that a run database answers with; times are absolute, numbers SI.

#include "core/model/Import.h"

namespace trainscope::store {

enum class OpenMode { ReadOnly, ReadWrite };

// One imported source as the database lists it.
struct Source {
    SourceId id;
    std::vector<RunId> runs; // runs it contributes to
    std::string path;
    std::uint64_t size = 0;
    std::string hash; // content hash, hex
    TimeNs importedAt;
    ImportReport report;
};

// A comparison that a user kept: the specification is JSON, for whoever wrote it.
struct SavedComparison {
    std::string name;
    std::string spec;
    TimeNs createdAt;
    TimeNs changedAt;
};

// A node of the level of detail of spans, drawn as one: a single span, or neighbours narrower than
// a pixel.
struct LodNode {
    TimeRange range;
    std::uint32_t count = 1;
    float busyFraction = 1.0F; // part of range, by the union of its spans at that depth
    NameId name; // name of the longest span in it
    SpanKind kind = SpanKind::Other; // kind of the longest span in it
    std::uint16_t depth = 0;
};

struct FoundSpan {
    TrackId track;
    Span span;
};

// Spans that a search wants: those of one name, else those whose name contains the text
// (case-insensitive).
struct SpanWish {
    std::string text;
    NameId name;
};
// Some spans of one track, in order of start. False ends the search.
using FoundVisitor = std::function<bool(TrackId track, std::span<const Span> spans)>;

struct Sample {
    TimeNs time;
    double value = 0.0; // NaN where it is missing
};

// Exact statistics of a series in a window. A sample before the window counts for what it holds
// inside, in all but the numbers; mean, min and max are NaN where nothing holds. min ≤ mean ≤ max.
struct WindowStatistics {
    std::int64_t count = 0; // all samples in the window
    std::int64_t missing = 0;
    double mean = 0.0; // time-weighted: each sample holds until the next
    double min = 0.0;
    double max = 0.0;
    double integral = 0.0; // Σ value·dt, SI·s (joules for a power)
    double coveredSeconds = 0.0;
};

// Samples side by side, in order of time.
struct SampleView {
    std::span<const TimeNs> times;
    std::span<const double> values;
};

// Blocks in order of time; a visitor returns false to stop.
using SampleVisitor = std::function<bool(std::span<const TimeNs>, std::span<const double>)>;
using SpanVisitor = std::function<bool(std::span<const Span>)>;
// Each call gives the next samples or spans, valid until the one after, and none at the end.
using SampleSource = std::function<Result<SampleView>()>;
using SpanSource = std::function<Result<std::span<const Span>>()>;

// One SQL value as a row delivers it.
struct SqlValue {
    enum class Type { Null, Integer, Real, Text, Blob } type = Type::Null;
    std::int64_t integer = 0;
    double real = 0.0;
    std::string text; // Text, or the bytes of a Blob
};
using SqlHeader = std::function<void(const std::vector<std::string>&)>;
using SqlRow = std::function<bool(const std::vector<SqlValue>&)>;

// The findings of a check; each text says for a human what is lost.
struct CheckReport {
    static constexpr std::size_t kMaxListed = 100;
    std::vector<std::string> damage; // the first kMaxListed of damageCount
    std::int64_t damageCount = 0;
    std::int64_t pieces = 0; // chunks and pages that were read
    std::uint64_t bytes = 0; // their size
};

// Sizes of the file before and after a compaction, in bytes.
struct VacuumOutcome {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};

} // namespace trainscope::store
