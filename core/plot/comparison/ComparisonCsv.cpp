#include "core/plot/comparison/Comparison.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace trainscope::plot {

namespace {

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{}", *value) : std::string();
}
std::string number(float value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
}
std::string inUnit(const std::string& name, const std::string& unit) {
    return unit.empty() || unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}
std::string_view weightKey(ComparisonWeight weight) {
    switch (weight) {
    case ComparisonWeight::Beyond:
        return "beyond";
    case ComparisonWeight::Within:
        return "within";
    case ComparisonWeight::Unknown:
        break;
    }
    return "unknown";
}

class Writer {
public:
    explicit Writer(const ComparisonData& data)
        : m_data(data) { }
    std::string take() { return std::move(m_out); }

    void quantities() {
        begin("run,quantity,unit,value,std,iterations,ratio,difference,weight");
        for (std::size_t run = 0; run < m_data.runs.size(); ++run) {
            for (const auto& quantity : m_data.quantities) {
                const auto& change = quantity.changes[run];
                line("{},{},{},{},{},{},{},{},{}", name(run), quantity.key,
                    text::csvCell(quantity.axis.siUnit), number(quantity.values[run]),
                    number(quantity.spreads[run]),
                    quantity.counts[run] > 0 ? fmt::format("{}", quantity.counts[run]) : "",
                    number(change.ratio), number(change.difference),
                    run == 0 ? std::string_view() : weightKey(change.weight));
            }
        }
    }
    void stacks() {
        begin("run,stage,category,seconds_per_step [s]");
        for (const auto& stack : m_data.stacks) {
            for (const auto& part : stack.parts)
                line("{},{},{},{}", name(stack.run),
                    stack.stage ? fmt::format("{}", *stack.stage) : "", part.category,
                    part.seconds);
        }
    }
    void kernels() {
        begin("run,kernel,category,seconds_per_step [s]");
        for (const auto& kernel : m_data.kernels) {
            for (std::size_t run = 0; run < kernel.seconds.size(); ++run) {
                if (kernel.seconds[run])
                    line("{},{},{},{}", name(run), text::csvCell(kernel.name), kernel.category,
                        *kernel.seconds[run]);
            }
        }
    }
    void heat() {
        const auto& heat = *m_data.heat;
        begin(fmt::format("run,rank,node,airflow_place,{}",
            text::csvCell(inUnit(heat.scale.metric, heat.scale.siUnit))));
        for (std::size_t run = 0; run < heat.runs.size(); ++run) {
            for (const auto& cell : heat.runs[run].cells)
                line("{},{},{},{},{}", name(run),
                    cell.rank < 0 ? std::string() : fmt::format("{}", cell.rank), cell.node,
                    cell.slot, number(cell.value));
        }
    }
    void curves() {
        const auto& curves = *m_data.curves;
        const std::string unit = curves.axis.siUnit;
        begin(fmt::format("run,seconds [s],{},{},{},difference_to_first,beyond_spread",
            text::csvCell(inUnit(curves.axis.metric + "_mean", unit)),
            text::csvCell(inUnit("p5", unit)), text::csvCell(inUnit("p95", unit))));
        for (const auto& curve : curves.curves) {
            const auto* difference = differenceOf(curve.run);
            for (std::size_t i = 0; i < curve.mean.size(); ++i) {
                if (std::isnan(curve.mean[i]))
                    continue;
                line("{},{},{},{},{},{},{}", name(curve.run),
                    curves.from + curves.step * (static_cast<double>(i) + 0.5),
                    number(curve.mean[i]), number(curve.low[i]), number(curve.high[i]),
                    difference == nullptr ? std::string() : number(difference->values[i]),
                    difference == nullptr || std::isnan(difference->values[i])
                        ? std::string()
                        : fmt::format("{}", difference->beyond[i]));
            }
        }
    }
    void tracks() {
        begin("run,stage,rank,begin [s],end [s],category,busy");
        for (const auto& row : m_data.tracks->rows) {
            for (const auto& piece : row.pieces)
                line("{},{},{},{},{},{},{}", name(row.run), row.stage, row.rank, piece.begin,
                    piece.end, m_data.tracks->categories[piece.category], piece.busy);
        }
    }
    void configuration() {
        begin("run,setting,value");
        for (const auto& fact : m_data.configuration) {
            for (std::size_t run = 0; run < fact.values.size(); ++run)
                line("{},{},{}", name(run), text::csvCell(fact.title),
                    text::csvCell(fact.values[run]));
        }
    }

private:
    [[nodiscard]] std::string name(std::size_t run) const {
        return text::csvCell(m_data.runs[run].named.name);
    }
    [[nodiscard]] const ComparisonCurves::Difference* differenceOf(std::size_t run) const {
        for (const auto& difference : m_data.curves->differences) {
            if (difference.run == run)
                return &difference;
        }
        return nullptr;
    }
    void begin(std::string_view header) {
        if (!m_out.empty())
            m_out += '\n';
        m_out += header;
        m_out += '\n';
    }
    template <typename... Parts>
    void line(fmt::format_string<Parts...> format, Parts&&... parts) {
        fmt::format_to(std::back_inserter(m_out), format, std::forward<Parts>(parts)...);
        m_out += '\n';
    }

    const ComparisonData& m_data;
    std::string m_out;
};

} // namespace

std::string comparisonCsv(const ComparisonData& data, const std::vector<ComparisonPanel>& panels) {
    Writer writer(data);
    const auto wanted = [&](ComparisonPanel panel) {
        return data.has(panel)
            && (panels.empty() || std::find(panels.begin(), panels.end(), panel) != panels.end());
    };
    // Cards are among the bars.
    if (wanted(ComparisonPanel::Bars) || wanted(ComparisonPanel::Cards))
        writer.quantities();
    if (wanted(ComparisonPanel::Breakdown))
        writer.stacks();
    if (wanted(ComparisonPanel::Kernels))
        writer.kernels();
    if (wanted(ComparisonPanel::Heatmap))
        writer.heat();
    if (wanted(ComparisonPanel::Curves))
        writer.curves();
    if (wanted(ComparisonPanel::Tracks))
        writer.tracks();
    if (wanted(ComparisonPanel::Configuration))
        writer.configuration();
    return writer.take();
}

} // namespace trainscope::plot
