#include "core/analysis/traces/KernelCategory.h"
#include "core/plot/timeline/LaneFrame.h"
#include "core/text/Names.h"

#include <fmt/format.h>

#include <set>
#include <unordered_set>

namespace trainscope::plot {

namespace {

constexpr double kWholeNames = 0.85; // share of the plot's width; run names are whole up to that

// The order of display; reductions share a colour and one entry.
constexpr std::array<std::string_view, 14> kOrder{"gemm", "attention", "all_reduce",
    "reduce_scatter", "all_gather", "all_to_all", "send_recv", "broadcast", "communication",
    "normalisation", "elementwise", "optimizer", "other", "copy"};

constexpr std::array<std::pair<SpanKind, std::string_view>, 6> kSpanKinds{
    {{SpanKind::CpuOp, "Operator"}, {SpanKind::Runtime, "Runtime call"},
        {SpanKind::Annotation, "Annotation"}, {SpanKind::Python, "Python"},
        {SpanKind::Overhead, "Overhead"}, {SpanKind::Sync, "Synchronisation"}}};

std::string labelOf(std::string_view category) {
    if (category == "elementwise")
        return "Elementwise, memory";
    if (category == "copy")
        return "Copies, memory sets";
    return std::string(analysis::KernelCategories::label(category));
}

// Visits visible groups. Only the first of neighbours with one name and kind is visited: a legend
// asks no more.
template <typename Visit>
void forEachVisible(
    const TimelineData& data, const LaneData& lane, ViewWindow window, Visit visit) {
    const store::LodNode* before = nullptr;
    for (const auto& track : lane.spans) {
        const TimeNs origin = data.runs[track.run].origin;
        const TimeRange visible{origin + window.begin, origin + window.end};
        for (const auto& group : track.spans) {
            const bool repeats
                = before != nullptr && before->name == group.name && before->kind == group.kind;
            if (repeats || !group.range.overlaps(visible))
                continue;
            before = &group;
            visit(group);
        }
    }
}

constexpr double kSampleLine = 3.0; // times the line's width

} // namespace

std::size_t placeInLegend(std::string_view category) {
    return static_cast<std::size_t>(std::ranges::find(kOrder, category) - kOrder.begin());
}

std::vector<LegendEntry> categoryEntries(
    const TimelineData& data, const LaneData& lane, ViewWindow window) {
    std::unordered_set<NameId> visible(lane.mixed.begin(), lane.mixed.end());
    std::array<NameId, 256> lately{}; // known without a search: groups are many, names few
    forEachVisible(data, lane, window, [&](const store::LodNode& group) {
        NameId& last = lately[static_cast<std::size_t>(group.name.value) % lately.size()];
        if (last != group.name)
            visible.insert(group.name);
        last = group.name;
    });
    std::set<std::string_view> present;
    for (const NameId id : visible) {
        if (const auto name = data.names.find(id); name != data.names.end())
            present.insert(name->second.category);
    }
    std::vector<LegendEntry> entries;
    for (const auto category : kOrder) {
        if (present.contains(category))
            entries.push_back({labelOf(category), categoryColor(category)});
    }
    return entries;
}

std::vector<LegendEntry> kindEntries(
    const TimelineData& data, const LaneData& lane, ViewWindow window) {
    std::set<SpanKind> present;
    forEachVisible(data, lane, window, [&](const store::LodNode& group) {
        const auto name = data.names.find(group.name);
        if (name == data.names.end() || name->second.category.empty())
            present.insert(group.kind);
    });
    std::vector<LegendEntry> entries;
    for (const auto& [kind, text] : kSpanKinds) {
        if (present.contains(kind))
            entries.push_back({std::string(text), spanKindColor(kind)});
    }
    return entries;
}

std::vector<LegendEntry> seriesEntries(const LaneFrame& frame) {
    std::vector<LegendEntry> entries;
    const Color background = frame.scene.background;
    if (frame.data.runs.size() > 1) {
        std::vector<std::string> names;
        double wide = 0.0;
        for (const auto& run : frame.data.runs) {
            names.push_back(run.name);
            wide += frame.width(run.name, TextRole::Small);
        }
        const bool areUnique
            = std::set<std::string>(names.begin(), names.end()).size() == names.size();
        const bool fitWhole = areUnique && wide <= kWholeNames * frame.scale.width;
        for (std::string& name : fitWhole ? names : text::tellingNames(names))
            entries.push_back({std::move(name), inkOf(frame, entries.size()), entries.size()});
        return entries;
    }
    std::set<int> nodes;
    for (const auto& lane : frame.data.lanes) {
        if (drawnStyle(lane) != LaneStyle::Lines)
            continue;
        if (!seriesColors(lane).byNode)
            continue;
        for (const auto& series : lane.series)
            nodes.insert(std::max(series.node, 0));
    }
    for (const int node : nodes)
        entries.push_back({fmt::format("node {}", node),
            legibleOn(seriesColor(static_cast<std::size_t>(node)), background)});
    return entries;
}

double drawLegend(const LaneFrame& frame, const std::vector<LegendEntry>& entries, Point topLeft,
    double width, bool isDrawn) {
    const double size = frame.size();
    const double side = 0.7 * size;
    const bool hasPatterns = isPrinted(frame.theme)
        && std::ranges::any_of(
            entries, [](const LegendEntry& entry) { return entry.run.has_value(); });
    const double swatch = hasPatterns ? inkSampleLength(frame.theme) : side;
    LegendFlow flow(frame,
        {swatch, 0.45 * size, 1.6 * size, 1.6 * size, 0.5 * size, frame.theme.textSecondary},
        topLeft, width, isDrawn);
    for (const auto& entry : entries)
        flow.add(entry.text, [&](Point left) {
            if (entry.run && isPrinted(frame.theme))
                drawInkSample(frame, *entry.run, left, swatch, kSampleLine * frame.theme.lineWidth,
                    entry.color);
            else
                frame.fill({left.x + swatch - side, left.y - side / 2.0, side, side}, entry.color);
        });
    return flow.height();
}

} // namespace trainscope::plot
