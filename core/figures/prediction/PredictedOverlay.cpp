#include "core/figures/prediction/PredictedOverlay.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Means.h"
#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Try.h"
#include "core/predict/prediction/PredictedRun.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr int kStepColumns = 240;
constexpr std::size_t kMostLaidOver = 24; // iterations; of more, so many in even distances
constexpr double kLongestPart = 300.0; // s, of a run without iterations
constexpr std::array kOverlaidMetrics{metric::kGpuPower, metric::kGpuTemperature, metric::kSmClock};

using StepColumns = std::vector<float>;
using ByRank = std::map<int, StepColumns>;

using analysis::RunningMean;
using ColumnMeans = std::vector<RunningMean>; // by column

void addColumns(const StepColumns& values, ColumnMeans& means) {
    means.resize(kStepColumns);
    for (std::size_t i = 0; i < std::min(values.size(), means.size()); ++i) {
        if (!std::isnan(values[i]))
            means[i].add(static_cast<double>(values[i]));
    }
}

float meanOrNothing(const RunningMean& mean) {
    return mean.count > 0 ? static_cast<float>(mean.value()) : plot::kNothing;
}

StepColumns columnsOf(const ColumnMeans& means) {
    StepColumns columns;
    std::ranges::transform(means, std::back_inserter(columns), meanOrNothing);
    return columns;
}

class MeasuredReader {
public:
    explicit MeasuredReader(const analysis::RunStudy& study)
        : m_store(study.store)
        , m_run(study.run)
        , m_progress(study.progress) { }

    Result<MeasuredTracks> read() {
        m_out.run = m_run.name;
        ASSIGN_OR_RETURN(m_catalogue, readCatalogue(m_store, shownFrom(m_run.range.begin)));
        RETURN_IF_ERROR(chooseWindows());
        for (const char* metric : kOverlaidMetrics) {
            RETURN_IF_ERROR(readMetric(metric));
        }
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool isCancelled() const {
        return m_progress && !m_progress({"Laying iterations over each other", 0, 0});
    }
    [[nodiscard]] std::vector<ShownRun> shownFrom(TimeNs origin) const {
        return {{m_run.id, m_run.name, origin, 0, {}}};
    }

    Status chooseWindows() {
        ASSIGN_OR_RETURN(const auto found, analysis::iterationsOf({m_store, m_run, m_progress}));
        ASSIGN_OR_RETURN(const auto steady, analysis::steadyStateOf({m_store, m_run, m_progress}));
        std::vector<TimeRange> all;
        for (const Iteration& one : found.iterations) {
            if (!one.warmup && one.range.begin >= steady.window.begin
                && one.range.end <= steady.window.end)
                all.push_back(one.range);
        }
        const std::size_t count = std::min(all.size(), kMostLaidOver);
        for (std::size_t i = 0; i < count; ++i)
            m_windows.push_back(all[i * all.size() / count]);
        m_out.iterations = count;
        if (count == 0) {
            ASSIGN_OR_RETURN(m_windows, busiestPart(steady.window));
        }
        for (const TimeRange& window : m_windows)
            m_out.seconds += window.length().seconds() / static_cast<double>(m_windows.size());
        return {};
    }

    // The part of a log in which its GPUs draw most: a log may go on while nothing runs.
    Result<std::vector<TimeRange>> busiestPart(TimeRange whole) {
        const double share = kLongestPart / whole.length().seconds();
        if (share >= 1.0)
            return std::vector{whole};
        ASSIGN_OR_RETURN(const auto lane, laneOf(metric::kGpuPower, whole));
        std::vector<double> until{0.0}; // sums of all GPUs before each column
        for (std::size_t i = 0; i < kStepColumns; ++i) {
            double watts = 0.0;
            for (const auto& series : lane.series) {
                if (i < series.means.size() && !std::isnan(series.means[i]))
                    watts += static_cast<double>(series.means[i]);
            }
            until.push_back(until.back() + watts);
        }
        const auto length
            = static_cast<std::size_t>(std::max(1.0, std::floor(share * kStepColumns)));
        std::size_t best = 0;
        for (std::size_t from = 0; from + length < until.size(); ++from) {
            if (until[from + length] - until[from] > until[best + length] - until[best])
                best = from;
        }
        const auto at = [&](std::size_t column) {
            const double seconds = whole.length().seconds() * static_cast<double>(column)
                / static_cast<double>(kStepColumns);
            return whole.begin + DurationNs{std::llround(seconds * 1e9)};
        };
        return std::vector{TimeRange{at(best), at(best + length)}};
    }

    Result<LaneData> laneOf(const char* metric, TimeRange window) {
        const auto shown = shownFrom(window.begin);
        const std::function<bool()> stop = [this] { return isCancelled(); };
        const LaneRequest request{m_store, m_catalogue, shown, {{0}, window.length()}, kStepColumns,
            stop, LoadDetail::Drawn};
        LaneSpec spec;
        spec.style = LaneStyle::Heat;
        spec.metric = metric;
        return loadMetricLane(request, spec);
    }

    Status readMetric(const char* metric) {
        std::map<int, ColumnMeans> means;
        for (const TimeRange& window : m_windows) {
            if (isCancelled())
                return cancelled();
            ASSIGN_OR_RETURN(const auto lane, laneOf(metric, window));
            for (const auto& series : lane.series) {
                if (series.subject.kind == SubjectKind::Gpu && series.subject.rank >= 0)
                    addColumns(series.means, means[series.subject.rank]);
            }
        }
        MeasuredTracks::Track track{metric, {}};
        for (const auto& [rank, sums] : means)
            track.values[rank] = columnsOf(sums);
        if (!track.values.empty())
            m_out.tracks.push_back(std::move(track));
        return {};
    }

    const store::Store& m_store;
    const Run& m_run;
    const Progress& m_progress;
    Catalogue m_catalogue;
    std::vector<TimeRange> m_windows;
    MeasuredTracks m_out;
};

const std::vector<double>& samplesOfMetric(
    const predict::GpuSamples& gpu, std::string_view metric) {
    if (metric == metric::kGpuPower)
        return gpu.watts;
    return metric == metric::kGpuTemperature ? gpu.celsius : gpu.clockHz;
}

// Columns of the second step. Its mean in all columns where nothing tells when a step of the
// measured run begins.
StepColumns predictedColumns(
    const std::vector<double>& samples, double period, double stepSeconds, bool isFolded) {
    ColumnMeans means(kStepColumns);
    RunningMean all;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double share = (static_cast<double>(i) + 0.5) * period / stepSeconds - 1.0;
        if (share < 0.0 || share >= 1.0)
            continue;
        means[static_cast<std::size_t>(share * kStepColumns)].add(samples[i]);
        all.add(samples[i]);
    }
    return isFolded ? columnsOf(means) : StepColumns(kStepColumns, meanOrNothing(all));
}

plot::PredictedLine predictedLineOf(const ByRank& values) {
    plot::PredictedLine line;
    for (std::size_t i = 0; i < kStepColumns; ++i) {
        std::vector<double> column;
        RunningMean mean;
        for (const auto& [rank, columns] : values) {
            if (std::isnan(columns[i]))
                continue;
            column.push_back(static_cast<double>(columns[i]));
            mean.add(column.back());
        }
        const auto quantile = [&column](double share) {
            return column.empty() ? plot::kNothing
                                  : static_cast<float>(analysis::nearestQuantile(column, share));
        };
        line.mean.push_back(meanOrNothing(mean));
        line.low.push_back(quantile(0.05));
        line.high.push_back(quantile(0.95));
    }
    return line;
}

StepColumns residualColumns(const StepColumns& predicted, const StepColumns& measured) {
    StepColumns difference;
    for (std::size_t i = 0; i < predicted.size(); ++i)
        difference.push_back(predicted[i] - measured[i]);
    return difference;
}

class ResidualSums {
public:
    void add(const StepColumns& predicted, const StepColumns& measured) {
        for (std::size_t i = 0; i < predicted.size(); ++i) {
            if (std::isnan(predicted[i]) || std::isnan(measured[i]))
                continue;
            const double left = static_cast<double>(predicted[i] - measured[i]);
            m_bias.add(left);
            m_level.add(static_cast<double>(measured[i]));
            m_all.push_back(std::abs(left));
        }
    }
    [[nodiscard]] plot::PredictedResidual told(std::size_t gpus) {
        if (m_all.empty())
            return {};
        return {m_bias.value(), *analysis::meanOf(m_all), analysis::nearestQuantile(m_all, 0.9),
            m_level.value(), gpus};
    }

private:
    RunningMean m_bias;
    RunningMean m_level;
    std::vector<double> m_all; // absolute ones
};

// GPU by GPU where both have them, else of the means.
plot::PredictedResidual residualOf(
    const ByRank& predicted, const ByRank& measured, const plot::PredictedTrack& track) {
    ResidualSums sums;
    std::size_t gpus = 0;
    for (const auto& [rank, columns] : measured) {
        const auto found = predicted.find(rank);
        if (found == predicted.end() || predicted.size() != measured.size()) {
            ResidualSums ofMeans;
            ofMeans.add(track.predicted.mean, track.measured.mean);
            return ofMeans.told(0);
        }
        sums.add(found->second, columns);
        ++gpus;
    }
    return sums.told(gpus);
}

void addKnown(std::vector<double>& into, const StepColumns& values) {
    for (const float value : values) {
        if (!std::isnan(value))
            into.push_back(static_cast<double>(value));
    }
}

void setTrackAxes(const std::string& metric, plot::PredictedTrack& track) {
    std::vector<double> values;
    for (const auto* line : {&track.measured, &track.predicted}) {
        addKnown(values, line->low);
        addKnown(values, line->high);
    }
    std::vector<double> differences{0.0};
    addKnown(differences, track.residual);
    const std::string unit = findMetric(metric)->unit;
    track.axis = axisOf(metricTitle(metric), metric, unit, values, false);
    track.residualAxis = axisOf("Residual", metric, unit, differences, false);
    track.residualAxis.unit = track.axis.unit;
}

std::string overlayCaption(const MeasuredTracks& measured, double stepSeconds) {
    const std::string predicted = text::quantity(stepSeconds, "s", text::Digits::Three);
    const std::string seconds = text::quantity(measured.seconds, "s", text::Digits::Three);
    const std::string what = "mean of the GPUs and 5–95 % band; ";
    if (measured.iterations == 0)
        return what
            + fmt::format("the {} that draw most, no iterations are known; predicted: "
                          "means of a step of {}",
                seconds, predicted);
    return what
        + fmt::format("one step: {} of {} laid over each other, predicted {}, stretched to one "
                      "length",
            text::counted(static_cast<std::int64_t>(measured.iterations), "settled iteration"),
            seconds, predicted);
}

} // namespace

Result<MeasuredTracks> measuredTracksOf(const analysis::RunStudy& study) {
    return MeasuredReader(study).read();
}

plot::PredictedTracks overlayOf(const MeasuredTracks& measured,
    const predict::PredictedTelemetry& telemetry, double stepSeconds) {
    plot::PredictedTracks tracks;
    tracks.run = measured.run;
    tracks.caption = overlayCaption(measured, stepSeconds);
    const bool isFolded = measured.iterations > 0;
    if (!isFolded)
        tracks.seconds = measured.seconds;
    for (const auto& one : measured.tracks) {
        ByRank predicted;
        for (const auto& gpu : telemetry.gpus)
            predicted[gpu.rank] = predictedColumns(
                samplesOfMetric(gpu, one.metric), telemetry.periodSeconds, stepSeconds, isFolded);
        plot::PredictedTrack track;
        track.measured = predictedLineOf(one.values);
        track.predicted = predictedLineOf(predicted);
        track.residual = residualColumns(track.predicted.mean, track.measured.mean);
        track.told = residualOf(predicted, one.values, track);
        setTrackAxes(one.metric, track);
        tracks.tracks.push_back(std::move(track));
    }
    return tracks;
}

Result<plot::PredictedTracks> overlayOf(const MeasuredTracks& measured, const predict::Job& job,
    const predict::Prediction& prediction, const Progress& progress) {
    constexpr double kUsualSensor = 0.1; // s
    predict::PlayedSteps played;
    played.steps = 2;
    played.periodSeconds = prediction.seconds / kStepColumns;
    played.sensorSeconds = std::max(kUsualSensor, played.periodSeconds);
    played.isRounded = false;
    ASSIGN_OR_RETURN(const auto telemetry, predict::telemetryOf(job, prediction, played, progress));
    return overlayOf(measured, telemetry, prediction.seconds);
}

} // namespace trainscope::figures
