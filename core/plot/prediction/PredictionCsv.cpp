// The numbers of a prediction's board.
#include "core/plot/comparison/Comparison.h"
#include "core/plot/prediction/PredictionWords.h"
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
        if (m_data.asked)
            addJob(*m_data.asked);
        addLayouts();
        addWhatIf();
        addTracks();
        return std::move(m_csv);
    }

private:
    void add(std::string_view panel, std::string_view name, std::string_view part,
        std::string_view unit, double value, std::optional<predict::Interval> bounds = {}) {
        text::addCsvLine(m_csv,
            {panel, name, part, unit, value, bounds ? text::Cell(bounds->low) : text::Cell(),
                bounds ? text::Cell(bounds->high) : text::Cell()});
    }
    void addStep(const PredictedJob& one) {
        const predict::Prediction& made = one.prediction;
        add("step", one.name, made.isOom ? "out of memory" : "", "s", made.seconds,
            predict::Interval{made.low, made.high});
        for (const PredictedPart& part : partsOf(made.breakdown()))
            add("step", one.name, part.key, "s", part.value);
    }

    void addJob(const PredictedJob& asked) {
        for (const auto& card : predictedCards(asked.job, asked.prediction, m_data.training))
            add("figures", card.key, {}, card.unit == "%" ? "1" : card.unit, card.value.value,
                card.value.interval);
        if (m_data.measured)
            add("step", m_data.measured->name, {}, "s", m_data.measured->seconds);
        for (const PredictedJob* one : m_data.predicted())
            addStep(*one);
        for (const auto& stage : asked.prediction.memory) {
            for (const PredictedPart& part : partsOf(stage))
                add("memory", fmt::format("stage {}", stage.stage), part.key, "B", part.value);
        }
        for (const auto& gpu : asked.prediction.outlook.node) {
            const std::string name = fmt::format("slot {}", gpu.slot);
            add("node", name, "power", "W", gpu.watts);
            add("node", name, "temperature", "°C", gpu.celsius);
        }
    }

    void addRanked(const predict::ListedLayout& listed) {
        const predict::RankedLayout& one = *listed.layout;
        const predict::Prediction& made = one.prediction;
        const std::string name = choiceWords(one.choice);
        add("ranking", name, "step_time", "s", made.seconds,
            predict::Interval{made.low, made.high});
        add("ranking", name, "energy", "J", made.energyJ);
        add("ranking", name, "peak_power", "W", one.peakW);
        add("ranking", name, "memory", "B", made.memoryB);
        add("ranking", name, "tokens_per_s_per_gpu", "1/s", made.tokensPerSecondPerGpu);
        if (listed.group > 0)
            add("ranking", name, "ties", "1", static_cast<double>(listed.group));
    }

    void addLayouts() {
        if (m_data.found) {
            for (const predict::ListedLayout& one : predict::listedLayouts(*m_data.found))
                addRanked(one);
        }
        if (!m_data.rival)
            return;
        for (const auto& quantity : m_data.rival->quantities) {
            for (std::size_t run = 0; run < m_data.rival->runs.size(); ++run) {
                if (const auto value = quantity.value(run))
                    add("clusters", m_data.rival->runs[run].named.name, quantity.info().key,
                        quantity.axis.siUnit, *value);
            }
        }
    }

    // Out of memory: no rate is reached.
    void addWhatIf() {
        for (const predict::WhatIfRow& row : m_data.whatIf) {
            for (const predict::WhatIfPoint& point : row.points) {
                const predict::Prediction& made = point.made;
                const std::string part = fmt::format(
                    "{}{:g} times", made.isOom ? "out of memory, " : "", point.factor);
                if (made.isOom) {
                    text::addCsvLine(
                        m_csv, {"what_if", toString(row.what), part, "1/s", {}, {}, {}});
                    continue;
                }
                const double tokens = made.tokensPerSecondPerGpu * made.seconds;
                add("what_if", toString(row.what), part, "1/s", made.tokensPerSecondPerGpu,
                    predict::Interval{tokens / made.high, tokens / made.low});
                add("what_if", toString(row.what), "step time, " + part, "s", made.seconds,
                    predict::Interval{made.low, made.high});
            }
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
        const double whole = m_data.tracks->seconds.value_or(1.0);
        const auto columns = static_cast<double>(line.mean.size());
        for (std::size_t i = 0; i < line.mean.size(); ++i) {
            if (std::isnan(line.mean[i]))
                continue;
            const double at = whole * (static_cast<double>(i) + 0.5) / columns;
            text::addCsvLine(m_csv,
                {panel, track.axis.metric,
                    fmt::format("at {:.6g}{}", at, m_data.tracks->seconds ? " s" : " of the step"),
                    track.axis.siUnit, line.mean[i], line.low[i], line.high[i]});
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
