#pragma once
// Derived values as step functions of time: sums, differences and ratios of values that each hold
// until the next sample, exact at every change of any of them, and missing (NaN) wherever a part
// is. A value before a hole in the recording holds for one period, the last one of a series for 1
// ns. A quotient by 0 is missing.

#include "core/analysis/statistics/SampleWalk.h"

namespace trainscope::store {
class ColumnGrid;
}

namespace trainscope::analysis {

// A stored series as a part of a derived one.
struct StepLeaf {
    SeriesId series;
    SeriesDescription description;
    bool isRate = false; // its change per second between samples, as always of counters
    double scale = 1.0; // factor on its values
    DurationNs shift = {}; // added to its times: those of another run
    DurationNs period = {}; // see Series
    TimeRange range = {};
    std::int64_t count = 0;
};

enum class Arithmetic { Add, Subtract, Divide };

// Operands are numbered: first the leaves, then the nodes, of which the last is the result. Without
// nodes there is one leaf.
struct StepProgram {
    struct Node {
        Arithmetic operation = Arithmetic::Add;
        std::size_t left = 0;
        std::size_t right = 0;
    };
    std::vector<StepLeaf> leaves;
    std::vector<Node> nodes;

    // Changes of all leaves.
    [[nodiscard]] std::int64_t changes() const;
    // About as many of them as lie in the window.
    [[nodiscard]] std::int64_t changesIn(TimeRange window) const;
    // The time in which all leaves were recorded.
    [[nodiscard]] TimeRange range() const;
    // The same text for the same values of one database.
    [[nodiscard]] std::string key() const;
};
// A series' own values, or their change per second.
StepProgram programOf(const Series& series, bool isRate = false, double scale = 1.0);
StepProgram joined(Arithmetic operation, const StepProgram& left, const StepProgram& right);
StepProgram sumOf(std::span<const StepProgram> parts); // one at least

struct Step {
    TimeRange range; // not empty
    double value = 0.0;
    bool isChange = true; // false: it began before the window
};
using StepVisitor = std::function<bool(std::span<const Step>)>; // false: enough

// The steps that fill the window, in order, without gaps between them.
Status forEachStep(const store::Store& store, const StepProgram& program, TimeRange window,
    const KeepGoing& keepGoing, const StepVisitor& visit);
// NaN where it is missing.
Result<double> stepAt(const store::Store& store, const StepProgram& program, TimeNs time);
// As Store::buckets(), completed between changes; exact.
Result<std::vector<Bucket>> stepBuckets(const store::Store& store, const StepProgram& program,
    TimeRange window, int columns, const KeepGoing& keepGoing);

// Over a window; absent where nothing holds.
struct StepFigures {
    std::optional<double> mean; // weighted by time
    std::optional<double> min;
    std::optional<double> max;
    DurationNs covered = {}; // the time that has a value
};

// Derived values of a whole recording in nodes of 64 changes and more, of which there are at most a
// million, for windows with more changes than one reads at once. Any thread.
class StepPyramid {
public:
    // `progress` gets the fraction that is done, and stops the work by false.
    static Result<StepPyramid> build(const store::Store& store, const StepProgram& program,
        const std::function<bool(double)>& progress = {});

    // Extremes contain every value of the column; they may contain those of a node that lies across
    // its edge.
    [[nodiscard]] std::vector<Bucket> buckets(TimeRange window, int columns) const;
    // Exact: the ends of the window are read from the store.
    [[nodiscard]] Result<StepFigures> figures(const store::Store& store, const StepProgram& program,
        TimeRange window, const KeepGoing& keepGoing) const;
    // Over the whole recording.
    [[nodiscard]] const StepFigures& whole() const { return m_whole; }
    [[nodiscard]] std::size_t bytes() const { return m_nodes.size() * sizeof(Node); }

private:
    struct Node {
        TimeNs begin;
        double weighted = 0.0; // Σ value × ns
        std::int64_t weight = 0; // ns that have a value
        double min = 0.0;
        double max = 0.0;
        double first = 0.0;
        double last = 0.0;
        std::uint32_t count = 0; // changes to a value
        bool isGap = false; // a part of it has none
    };
    class Builder;

    void addTo(store::ColumnGrid& grid, const Node& node, TimeNs end) const;

    std::vector<Node> m_nodes;
    TimeRange m_range;
    StepFigures m_whole;
};

// Over any window, read from the store; exact.
Result<StepFigures> stepFigures(const store::Store& store, const StepProgram& program,
    TimeRange window, const KeepGoing& keepGoing);

} // namespace trainscope::analysis
