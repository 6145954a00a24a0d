// The numbers of a prediction's board.
#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionFigure.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

class PredictionCsvWriter {
public:
    explicit PredictionCsvWriter(const PredictionFigureData& data)
        : m_data(data) { }

    std::string write() {
        m_csv = "panel,name,part,unit,value,low,high\n";
        addJob();
        addLayouts();
        addSensitivities();
        addTracks();
        return std::move(m_csv);
    }

private:
    void add(std::string_view panel, std::string_view name, std::string_view part,
        std::string_view unit, const PredictedValue& value) {
        text::addCsvLine(m_csv, {panel, name, part, unit, value.value, value.low, value.high});
    }
    void add(std::string_view panel, std::string_view name, std::string_view part,
        std::string_view unit, double value) {
        add(panel, name, part, unit, PredictedValue{value, {}, {}});
    }

    void addJob() {
        for (const auto& card : m_data.cards)
            add("figures", card.key, {}, card.unit == "%" ? "1" : card.unit, card.value);
        for (const auto& step : m_data.steps) {
            add("step", step.name, step.isOom ? "out of memory" : "", "s", step.seconds);
            for (const auto& part : step.parts)
                add("step", step.name, part.key, "s", part.value);
        }
        for (const auto& stage : m_data.stages) {
            for (const auto& part : stage.parts)
                add("memory", fmt::format("stage {}", stage.stage), part.key, "B", part.value);
        }
        for (const auto& gpu : m_data.node) {
            const std::string name = fmt::format("slot {}", gpu.slot);
            add("node", name, "power", "W", gpu.watts);
            add("node", name, "temperature", "°C", gpu.celsius);
        }
    }

    void addLayouts() {
        for (const auto& point : m_data.front.points) {
            add("layouts", point.name, "step_time", "s", point.seconds);
            add("layouts", point.name, m_data.front.title, m_data.front.unit, point.value);
        }
        for (const auto& one : m_data.ranking) {
            add("ranking", one.name, "step_time", "s", one.seconds);
            add("ranking", one.name, "energy", "J", one.energyJ);
            add("ranking", one.name, "peak_power", "W", one.peakW);
            add("ranking", one.name, "memory", "B", one.memoryB);
            add("ranking", one.name, "tokens_per_s_per_gpu", "1/s", one.rate);
            if (one.group > 0)
                add("ranking", one.name, "ties", "1", static_cast<double>(one.group));
        }
        if (!m_data.rival)
            return;
        for (const auto& quantity : m_data.rival->quantities) {
            for (std::size_t run = 0; run < quantity.values.size(); ++run) {
                if (quantity.values[run])
                    add("clusters", m_data.rival->runs[run].named.name, quantity.key,
                        quantity.axis.siUnit, *quantity.values[run]);
            }
        }
    }

    // Out of memory: no rate is reached.
    void addSensitivities() {
        for (const auto& one : m_data.sensitivities) {
            for (const auto& change : one.changes) {
                const std::string part = fmt::format(
                    "{}{:g} times", change.isOom ? "out of memory, " : "", change.factor);
                if (change.isOom)
                    text::addCsvLine(m_csv, {"what_if", one.key, part, "1/s", {}, {}, {}});
                else
                    add("what_if", one.key, part, "1/s", change.rate);
                if (!change.isOom && change.seconds.value > 0.0)
                    add("what_if", one.key, "step time, " + part, "s", change.seconds);
            }
            if (one.elasticity)
                add("what_if", one.key, "elasticity of the step time", "1", *one.elasticity);
        }
    }

    void addTracks() {
        if (!m_data.tracks)
            return;
        for (const auto& track : m_data.tracks->tracks) {
            const auto& told = track.told;
            const std::string& unit = track.axis.siUnit;
            add("residual", track.axis.metric, "bias", unit, told.bias);
            add("residual", track.axis.metric, "mean", unit, told.mean);
            add("residual", track.axis.metric, "p90", unit, told.p90);
            addLine(track, "measured", track.measured);
            addLine(track, "predicted", track.predicted);
        }
    }

    void addLine(const PredictedTrack& track, std::string_view panel, const PredictedLine& line) {
        const auto known = [](float value) {
            return std::isnan(value) ? std::nullopt : std::optional(static_cast<double>(value));
        };
        const double whole = m_data.tracks->seconds.value_or(1.0);
        const auto columns = static_cast<double>(line.mean.size());
        for (std::size_t i = 0; i < line.mean.size(); ++i) {
            if (std::isnan(line.mean[i]))
                continue;
            const double at = whole * (static_cast<double>(i) + 0.5) / columns;
            add(panel, track.axis.metric,
                fmt::format("at {:.6g}{}", at, m_data.tracks->seconds ? " s" : " of the step"),
                track.axis.siUnit,
                PredictedValue{
                    static_cast<double>(line.mean[i]), known(line.low[i]), known(line.high[i])});
        }
    }

    const PredictionFigureData& m_data;
    std::string m_csv;
};

} // namespace

std::string predictionCsv(const PredictionFigureData& data) {
    return PredictionCsvWriter(data).write();
}

} // namespace trainscope::plot
