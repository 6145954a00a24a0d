#include "core/plot/comparison/Comparison.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

std::string inUnit(const std::string& name, const std::string& unit) {
    return unit.empty() || unit == "1" ? name : fmt::format("{} [{}]", name, unit);
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
                const auto& measure = quantity.measures[run];
                line({name(run), quantity.info().key, quantity.axis.siUnit, quantity.value(run),
                    quantity.spread(run),
                    measure && measure->spread ? text::Cell(measure->spread->count) : text::Cell(),
                    change.ratio, change.amount(),
                    run == 0 ? text::Cell() : text::Cell(toString(change.weight))});
            }
        }
    }
    void stacks() {
        begin("run,stage,category,seconds_per_step [s]");
        for (const auto& stack : m_data.stacks) {
            for (const auto& part : stack.parts)
                line({name(stack.run), stack.stage, part.category, part.seconds});
        }
    }
    void operators() {
        begin("run,operator,seconds_per_step [s]");
        for (const auto& one : m_data.operators) {
            for (std::size_t run = 0; run < one.seconds.size(); ++run) {
                if (one.seconds[run])
                    line({name(run), one.name, one.seconds[run]});
            }
        }
    }
    void kernels() {
        begin("run,kernel,category,seconds_per_step [s]");
        for (const auto& kernel : m_data.kernels) {
            for (std::size_t run = 0; run < kernel.seconds.size(); ++run) {
                if (kernel.seconds[run])
                    line({name(run), kernel.name, kernel.category, kernel.seconds[run]});
            }
        }
    }
    void curves() {
        const auto& curves = *m_data.curves;
        const std::string& unit = curves.axis.siUnit;
        begin(fmt::format("run,seconds [s],{},{},{},difference_to_first,beyond_spread",
            text::csvCell(inUnit(curves.axis.metric + "_mean", unit)),
            text::csvCell(inUnit("p5", unit)), text::csvCell(inUnit("p95", unit))));
        for (const auto& curve : curves.curves) {
            const auto* difference = curves.differenceOf(curve.run);
            for (std::size_t i = 0; i < curve.mean.size(); ++i) {
                if (std::isnan(curve.mean[i]))
                    continue;
                const float value = difference == nullptr ? kNothing : difference->values[i];
                line({name(curve.run), curves.from + curves.step * (static_cast<double>(i) + 0.5),
                    curve.mean[i], curve.low[i], curve.high[i], value,
                    std::isnan(value) ? text::Cell() : text::Cell(difference->beyond[i])});
            }
        }
    }
    void configuration() {
        begin("run,setting,value");
        for (const auto& fact : m_data.configuration) {
            for (std::size_t run = 0; run < fact.values.size(); ++run)
                line({name(run), fact.title, fact.values[run].value_or(text::kMissing)});
        }
    }

private:
    [[nodiscard]] const std::string& name(std::size_t run) const {
        return m_data.runs[run].named.name;
    }
    void begin(std::string_view header) {
        if (!m_out.empty())
            m_out += '\n';
        m_out += header;
        m_out += '\n';
    }
    void line(const std::vector<text::Cell>& cells) { text::addCsvLine(m_out, cells); }

    const ComparisonData& m_data;
    std::string m_out;
};

} // namespace

std::string comparisonCsv(const ComparisonData& data, const std::vector<ComparisonPanel>& panels) {
    Writer writer(data);
    const auto wanted = [&](ComparisonPanel panel) {
        return data.has(panel)
            && (panels.empty() || std::ranges::find(panels, panel) != panels.end());
    };
    // Cards are among the bars.
    if (wanted(ComparisonPanel::Bars) || wanted(ComparisonPanel::Cards))
        writer.quantities();
    if (wanted(ComparisonPanel::Breakdown))
        writer.stacks();
    if (wanted(ComparisonPanel::Operators))
        writer.operators();
    if (wanted(ComparisonPanel::Kernels))
        writer.kernels();
    if (wanted(ComparisonPanel::Curves))
        writer.curves();
    if (wanted(ComparisonPanel::Configuration))
        writer.configuration();
    return writer.take();
}

} // namespace trainscope::plot
