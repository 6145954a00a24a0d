// Words for the item under the pointer.
#include "core/analysis/comparison/Comparison.h"
#include "core/plot/comparison/ComparisonGeometry.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/timeline/TimeTicks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

using Target = ComparisonGeometry::Target;

class Hit {
public:
    Hit(const ComparisonData& data, const ComparisonGeometry& geometry, const Target& target,
        Point at)
        : m_data(data)
        , m_geometry(geometry)
        , m_target(target)
        , m_at(at) {
        m_hit.outline = target.rect;
        m_hit.panel = target.panel;
        m_hit.run = run(target.run).named.id;
        m_hit.range = run(target.run).stretch;
    }

    std::optional<ComparisonHit> take() {
        switch (m_target.panel) {
        case ComparisonPanel::Cards:
        case ComparisonPanel::Bars:
            quantity();
            break;
        case ComparisonPanel::Breakdown:
            stack();
            break;
        case ComparisonPanel::Heatmap:
            cell();
            break;
        case ComparisonPanel::Curves:
            return curves() ? std::optional(std::move(m_hit)) : std::nullopt;
        case ComparisonPanel::Tracks:
            track();
            break;
        case ComparisonPanel::Kernels:
            kernel();
            break;
        case ComparisonPanel::Configuration:
            configuration();
            break;
        case ComparisonPanel::Verdict:
        case ComparisonPanel::Reasons:
            runFacts();
            break;
        }
        return std::move(m_hit);
    }

private:
    [[nodiscard]] const ComparedRun& run(std::size_t index) const { return m_data.runs[index]; }
    void fact(std::string label, std::string value) {
        if (!value.empty())
            m_hit.facts.emplace_back(std::move(label), std::move(value));
    }
    [[nodiscard]] std::string nameOf(std::size_t index) const {
        return run(index).mark + " · " + run(index).named.name;
    }

    // With many runs, only the one pointed at and the first are told.
    [[nodiscard]] bool isOther(std::size_t index) const {
        return m_data.isMany() && index != 0 && index != m_target.run;
    }

    void runFacts() {
        m_hit.title = nameOf(m_target.run);
        fact("Cluster", run(m_target.run).named.cluster);
        fact("Layout", run(m_target.run).named.layout);
        fact("Model", run(m_target.run).named.model);
    }

    void quantity() {
        const auto& quantity = m_data.quantities[m_target.item];
        m_hit.title = quantity.axis.title;
        for (std::size_t i = 0; i < m_data.runs.size(); ++i) {
            if (isOther(i))
                continue;
            fact(nameOf(i), quantity.values[i] ? spreadText(quantity, i) : quantity.whyAbsent[i]);
            if (i == 0 || !quantity.changes[i].difference)
                continue;
            fact(fmt::format("{} to {}", run(i).mark, run(0).mark),
                changeText(quantity, i) + ", " + weightText(m_data, quantity, i));
            fact("Judged by", quantity.changes[i].why);
        }
        m_hit.metric = quantity.axis.metric;
    }

    void stack() {
        const auto& stack = m_data.stacks[m_target.item];
        const auto& part = stack.parts[m_target.part];
        m_hit.stage = stack.stage;
        m_hit.title = stack.stage
            ? fmt::format("{} · stage {} · {}", run(stack.run).mark, *stack.stage, part.title)
            : fmt::format("{} · {}", run(stack.run).mark, part.title);
        fact("Per step", secondsText(part.seconds));
        if (stack.seconds > 0.0)
            fact("Share of the step", text::percent(part.seconds / stack.seconds));
        fact("Step", secondsText(stack.seconds));
    }

    void cell() {
        const auto& heat = *m_data.heat;
        const auto& cell = heat.runs[m_target.run].cells[m_target.item];
        if (cell.rank >= 0) {
            m_hit.rank = cell.rank;
            m_hit.title = fmt::format("{} · rank {}", run(m_target.run).mark, cell.rank);
        } else {
            m_hit.title = fmt::format("{} · node {}", run(m_target.run).mark, cell.node);
        }
        m_hit.metric = heat.scale.metric;
        fact(heat.scale.title, valueText(heat.scale, cell.value));
        fact("Node", fmt::format("{}", cell.node));
        if (cell.rank >= 0)
            fact("Place in the air",
                fmt::format(
                    "{} of {}, front to rear", cell.slot + 1, heat.runs[m_target.run].slots));
        fact("Run", run(m_target.run).named.name);
    }

    bool curves() {
        const auto& curves = *m_data.curves;
        const Rect& plot = m_target.part == 0 ? m_geometry.curves : m_target.rect;
        const double share = (m_at.x - plot.x) / plot.width;
        const auto column = std::min(static_cast<std::size_t>(share * curves.columns),
            static_cast<std::size_t>(std::max(curves.columns - 1, 0)));
        const double wide = plot.width / std::max(curves.columns, 1);
        m_hit.outline = {plot.x + wide * static_cast<double>(column), plot.y, wide, plot.height};
        const double seconds = curves.from + curves.step * (static_cast<double>(column) + 0.5);
        m_hit.title = fmt::format("{} at {}", curves.axis.title,
            curves.stretched ? text::percent(seconds, 0) + " of the iteration"
                             : secondsText(seconds));
        m_hit.metric = curves.axis.metric;
        bool first = true;
        for (const auto& curve : curves.curves) {
            if (isOther(curve.run) || column >= curve.mean.size() || std::isnan(curve.mean[column]))
                continue;
            const auto value = [&](const std::vector<float>& of) {
                return valueText(curves.axis, static_cast<double>(of[column]));
            };
            fact(run(curve.run).mark,
                fmt::format(
                    "{} ({} to {})", value(curve.mean), value(curve.low), value(curve.high)));
            if (first || curve.run == m_target.run) {
                m_hit.run = run(curve.run).named.id;
                const double since = curves.stretched ? seconds * curve.range.length().seconds()
                                                      : seconds - curve.offset;
                const TimeNs at = curve.range.begin + DurationNs{std::llround(since * 1e9)};
                m_hit.range = TimeRange{at, at};
                first = false;
            }
        }
        addDifferences(column);
        return !m_hit.facts.empty();
    }
    void addDifferences(std::size_t column) {
        for (const auto& difference : m_data.curves->differences) {
            if (isOther(difference.run) || column >= difference.values.size()
                || std::isnan(difference.values[column]))
                continue;
            const auto& axis = m_data.curves->axis;
            const auto value = static_cast<double>(difference.values[column]);
            fact(fmt::format("{} − {}", run(difference.run).mark, run(0).mark),
                (value > 0.0 ? "+" : "") + valueText(axis, value)
                    + (difference.beyond[column] != 0 ? ", beyond the spread" : ""));
        }
    }

    void track() {
        const auto& tracks = *m_data.tracks;
        const auto& row = tracks.rows[m_target.item];
        m_hit.rank = row.rank;
        m_hit.stage = row.stage;
        m_hit.title
            = fmt::format("{} · stage {} · rank {}", run(row.run).mark, row.stage, row.rank);
        const double seconds = tracks.secondsOf(row.run) * (m_at.x - m_target.rect.x)
            / std::max(m_target.rect.width, 1.0);
        const auto piece = std::find_if(row.pieces.begin(), row.pieces.end(),
            [seconds](const auto& one) { return one.begin <= seconds && seconds < one.end; });
        fact("At", secondsText(seconds));
        fact(
            "Kernels", piece == row.pieces.end() ? "idle" : tracks.categoryTitles[piece->category]);
        const TimeRange& range = tracks.ranges[row.run];
        const TimeNs at = range.begin + DurationNs{std::llround(seconds * 1e9)};
        m_hit.range = TimeRange{at, at};
    }

    // Equal values of several runs in one line.
    void perRun(const std::vector<std::string>& values) {
        if (!m_data.isMany()) {
            for (std::size_t i = 0; i < values.size(); ++i)
                fact(nameOf(i), values[i]);
            return;
        }
        std::vector<RunsNote> same;
        for (std::size_t i = 0; i < values.size(); ++i)
            addNote(same, i, values[i]);
        constexpr std::size_t most = 12;
        for (std::size_t i = 0; i < std::min(same.size(), most); ++i)
            fact(analysis::runMarks(same[i].runs), same[i].text);
        if (same.size() > most)
            fact("More", fmt::format("{} other values", same.size() - most));
    }

    void kernel() {
        const auto& kernel = m_data.kernels[m_target.item];
        m_hit.title = kernel.name;
        fact("Category", kernel.category);
        std::vector<std::string> values;
        for (const auto& seconds : kernel.seconds)
            values.push_back(
                seconds ? secondsText(*seconds) + " per step" : std::string("does not run"));
        perRun(values);
    }

    void configuration() {
        const auto& setting = m_data.configuration[m_target.item];
        m_hit.title = setting.title;
        perRun(setting.values);
    }

    const ComparisonData& m_data;
    const ComparisonGeometry& m_geometry;
    const Target& m_target;
    Point m_at;
    ComparisonHit m_hit;
};

} // namespace

std::optional<ComparisonHit> hitComparison(
    const ComparisonData& data, const ComparisonGeometry& geometry, double x, double y) {
    const auto& targets = geometry.targets;
    const auto found = std::find_if(targets.rbegin(), targets.rend(), [&](const Target& target) {
        return target.rect.contains({x, y});
    });
    if (found == targets.rend())
        return std::nullopt;
    return Hit(data, geometry, *found, {x, y}).take();
}

} // namespace trainscope::plot
