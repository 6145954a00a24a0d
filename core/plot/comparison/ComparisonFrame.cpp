#include "core/plot/comparison/ComparisonFrame.h"

#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Names.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kTextContrast = 4.5;
constexpr double kRounding = 0.01; // tolerance for sums of widths

// With many runs, only the one pointed at and the first are told.
bool isTold(const ComparisonData& data, std::size_t run, std::size_t pointed) {
    return !data.isMany() || run == 0 || run == pointed;
}

void tellQuantity(
    const ComparisonData& data, const ComparisonQuantity& quantity, std::size_t run, Hit& hit) {
    hit.title = quantity.axis.title;
    hit.metric = quantity.axis.metric;
    for (std::size_t i = 0; i < data.runs.size(); ++i) {
        if (!isTold(data, i, run))
            continue;
        addFact(hit, markedName(data.runs[i]),
            quantity.value(i) ? spreadText(quantity, i) : quantity.whyAbsent[i]);
        if (i == 0 || !quantity.changes[i].amount())
            continue;
        addFact(hit, fmt::format("{} to {}", data.runs[i].mark, data.runs[0].mark),
            changeText(quantity.changes[i]) + ", " + weightText(data, quantity, i));
        addFact(hit, "Judged by", quantity.changes[i].why);
    }
}

bool hasValue(const std::vector<float>& values, std::size_t column) {
    return column < values.size() && !std::isnan(values[column]);
}

void tellDifferences(const ComparisonData& data, std::size_t column, std::size_t run, Hit& hit) {
    const auto& axis = data.curves->axis;
    for (const auto& difference : data.curves->differences) {
        if (!isTold(data, difference.run, run) || !hasValue(difference.values, column))
            continue;
        const auto value = static_cast<double>(difference.values[column]);
        addFact(hit, fmt::format("{} − {}", data.runs[difference.run].mark, data.runs[0].mark),
            (value > 0.0 ? "+" : "") + valueText(axis, value)
                + (difference.beyond[column] != 0 ? ", beyond the spread" : ""));
    }
}

// The place is that of the run, or of the first curve that is known there.
void tellColumn(const ComparisonData& data, std::size_t column, std::size_t run, Hit& hit) {
    const auto& curves = *data.curves;
    const double seconds = curves.from + curves.step * (static_cast<double>(column) + 0.5);
    hit.title = fmt::format("{} at {}", curves.axis.title,
        curves.stretched ? text::percent(seconds, 0) + " of the iteration"
                         : text::seconds(seconds));
    hit.metric = curves.axis.metric;
    for (const auto& curve : curves.curves) {
        if (!isTold(data, curve.run, run) || !hasValue(curve.mean, column))
            continue;
        const auto value = [&](const std::vector<float>& of) {
            return valueText(curves.axis, static_cast<double>(of[column]));
        };
        addFact(hit, data.runs[curve.run].mark,
            fmt::format("{} ({} to {})", value(curve.mean), value(curve.low), value(curve.high)));
        if (hit.run.isValid() && curve.run != run)
            continue;
        hit.run = data.runs[curve.run].named.id;
        const double since
            = curves.stretched ? seconds * curve.range.length().seconds() : seconds - curve.offset;
        const TimeNs at = curve.range.begin + DurationNs{std::llround(since * 1e9)};
        hit.range = TimeRange{at, at};
    }
    tellDifferences(data, column, run, hit);
}

// A capture beside others of its run goes by its own name.
std::vector<std::string> namesOf(const std::vector<ComparedRun>& runs) {
    const auto isOfFirst
        = [&runs](const ComparedRun& one) { return one.named.id == runs.front().named.id; };
    const bool areOfOneRun = std::ranges::all_of(runs, isOfFirst);
    std::vector<text::Named> names;
    for (const ComparedRun& run : runs) {
        const std::string& whole = run.named.name;
        const std::string part = run.capture.empty() ? "whole run" : run.capture;
        names.push_back({areOfOneRun && runs.size() > 1 ? part : whole,
            {run.named.cluster, run.named.layout, run.named.model}});
    }
    return text::tellingNames(names);
}

bool areOfClusters(const std::vector<ComparedRun>& runs) {
    std::set<std::string_view> clusters;
    return std::ranges::all_of(runs, [&clusters](const ComparedRun& run) {
        return run.capture.empty() && clusters.insert(run.named.cluster).second;
    });
}

} // namespace

ComparisonFrame::ComparisonFrame(Picture& onto, const FigureStyle& ofStyle,
    const ComparisonData& compared, const BoardChoice& chosen)
    : Sheet(onto, ofStyle)
    , data(compared)
    , choice(chosen)
    , m_names(namesOf(compared.runs))
    , m_areClustersNames(areOfClusters(compared.runs)) { }

void addFact(Hit& hit, std::string label, std::string value) {
    if (!value.empty())
        hit.facts.emplace_back(std::move(label), std::move(value));
}

std::string markedName(const ComparedRun& run) {
    return run.mark + " · " + run.named.name;
}

void ComparisonFrame::addRun(Rect rect, std::size_t run) const {
    ofRun(
        rect, run,
        [&of = data.runs[run]](Hit& hit) {
            hit.title = markedName(of);
            addFact(hit, "Cluster", of.named.cluster);
            addFact(hit, "Layout", of.named.layout);
            addFact(hit, "Model", of.named.model);
        },
        true);
}

void ComparisonFrame::addQuantity(Rect rect, std::size_t quantity, std::size_t run) const {
    ofRun(rect, run, [&all = data, &of = data.quantities[quantity], run](Hit& hit) {
        tellQuantity(all, of, run, hit);
    });
}

void ComparisonFrame::addCurves(Rect plot, std::size_t run) const {
    Target target{plot, {},
        [&all = data, run](Hit& hit, const Spot& spot) { tellColumn(all, spot.column, run, hit); },
        1, static_cast<std::size_t>(std::max(data.curves->columns, 1)),
        [&all = data, run](std::size_t /*row*/, std::size_t column) {
            const auto& curves = all.curves->curves;
            const bool isKnown = std::ranges::any_of(curves, [&](const auto& curve) {
                return isTold(all, curve.run, run) && hasValue(curve.mean, column);
            });
            return isKnown ? std::optional(Shown()) : std::nullopt;
        }};
    picture.targets.push_back(std::move(target));
}

Color ComparisonFrame::inkOf(std::size_t run) const {
    return legibleOn(fillOf(run), paper(), kTextContrast);
}

const std::string& ComparisonFrame::legendName(std::size_t run) const {
    return m_areClustersNames ? data.runs[run].named.cluster : m_names[run];
}

std::vector<std::string> ComparisonFrame::markedNames(double room) const {
    constexpr double kLeastRoom = 8.0; // sizes of text; a rest of a name in less tells nothing
    std::vector<std::string> marks;
    std::vector<std::string> names;
    for (std::size_t run = 0; run < data.runs.size(); ++run) {
        marks.push_back(mark(run));
        names.push_back(mark(run) + " · " + legendName(run));
    }
    auto fitted = fittedNames(names, room, TextRole::Small);
    return fitted == names || room >= kLeastRoom * size() ? fitted : marks;
}

std::vector<std::string> ComparisonFrame::fittedNames(
    const std::vector<std::string>& names, double room, TextRole role, bool bold) const {
    return text::fittedNames(
        names, [&](std::string_view one) { return width(one, role, bold) <= room + kRounding; });
}

double ComparisonFrame::widestMark() const {
    double widest = 0.0;
    for (const auto& run : data.runs)
        widest = std::max(widest, width(run.mark, TextRole::Small, true));
    return widest;
}

void ComparisonFrame::drawMark(std::size_t run, Point at) const {
    text(at, mark(run), inkOf(run), TextRole::Small, Align::Left, true);
}

void drawTimeTicks(
    const ComparisonFrame& frame, Rect plot, double from, double to, AxisTicks ticks) {
    constexpr int kMostTimeTicks = 12;
    FigureAxis axis;
    axis.range = {from, to};
    axis.unit = ticks == AxisTicks::Shares
        ? text::ShownUnit{"%", 100.0}
        : text::shownUnit("s", std::max(std::abs(from), std::abs(to)));
    drawGrid(frame, axis, plot, kMostTimeTicks);
}

Color categoryFill(const ComparisonFrame& frame, const std::string& category) {
    // Idle time shows the paper, darkened or lightened enough to be seen.
    if (category == "idle")
        return frame.theme.dark ? blend(frame.paper(), frame.theme.text, 0.18)
                                : categoryColor("idle");
    return categoryColor(category);
}

} // namespace trainscope::plot
