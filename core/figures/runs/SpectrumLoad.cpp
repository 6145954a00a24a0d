#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/Burstiness.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/figures/runs/RunFigures.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr std::size_t kMostRuns = 6; // without a choice of the user's
constexpr std::size_t kMostSteps = std::size_t{1} << 20U;
constexpr std::size_t kLeastSteps = 128;
constexpr std::size_t kMostPoints = 1500;
constexpr std::size_t kMostLines = 6;
constexpr std::size_t kFirstBin = 3; // below lies what is left of mean and drift

Result<std::vector<Series>> powerOf(const store::Store& store, RunId run) {
    ASSIGN_OR_RETURN(const auto series, store.series(run));
    return analysis::gpuSeriesOf(analysis::gpuSeriesByRank(series), metric::kGpuPower);
}

// Notes the GPUs that the sum leaves out.
void noteLeftOut(const FigureSubject& subject, const std::vector<Series>& all,
    const std::vector<Series>& whole, FigureData& data) {
    std::vector<std::string> left;
    for (const Series& one : all) {
        const auto isIt = [&one](const Series& other) { return other.id == one.id; };
        if (std::none_of(whole.begin(), whole.end(), isIt))
            left.push_back(analysis::subjectText(one.description.subject));
    }
    if (left.empty())
        return;
    const std::string more
        = left.size() > 1 ? fmt::format(" and {} more", left.size() - 1) : std::string();
    data.notes.push_back(
        fmt::format("{}: the power of {} of {} ({}{}) was recorded for a part of the time only and "
                    "is left out of the sum.",
            subject.named.label, left.size(), text::counted(std::ssize(all), "GPU"), left.front(),
            more));
}

// The greatest of equal stretches of bins, so that no line is lost.
void reduce(const analysis::AmplitudeSpectrum& full, FigureSpectrum& spectrum) {
    const std::size_t bins = full.amplitudes.size() - kFirstBin;
    const std::size_t points = std::min(bins, kMostPoints);
    for (std::size_t i = 0; i < points; ++i) {
        const auto from
            = full.amplitudes.begin() + static_cast<std::ptrdiff_t>(kFirstBin + bins * i / points);
        const auto to = full.amplitudes.begin()
            + static_cast<std::ptrdiff_t>(kFirstBin + bins * (i + 1) / points);
        const auto greatest = std::max_element(from, to);
        spectrum.frequencyHz.push_back(
            full.binHz * static_cast<double>(greatest - full.amplitudes.begin()));
        spectrum.amplitudeW.push_back(*greatest);
    }
}

void addLines(const analysis::UniformSeries& signal, FigureSpectrum& spectrum) {
    for (const auto& line : analysis::strongestLines(signal, kMostLines)) {
        int harmonic = 0;
        if (spectrum.iterationHz) {
            const double ratio = line.frequencyHz / *spectrum.iterationHz;
            const double nearest = std::round(ratio);
            const double tolerance = 2.0 * line.frequencyErrorHz / *spectrum.iterationHz;
            if (nearest >= 1.0 && std::abs(ratio - nearest) <= std::min(tolerance, 0.25))
                harmonic = static_cast<int>(nearest);
        }
        spectrum.lines.push_back({line.frequencyHz, line.amplitude, harmonic});
    }
}

// The steps inside the window; all where these are too few to show lines.
FigureWindow keepWindow(analysis::UniformSeries& series, FigureWindow window) {
    std::vector<double> inside;
    const TimeNs begin = std::max(series.begin, window.range.begin);
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        const TimeNs at = series.timeOf(i);
        if (at >= begin && at < window.range.end)
            inside.push_back(series.values[i]);
    }
    if (inside.size() < kLeastSteps)
        return FigureWindow{};
    series.begin = begin;
    series.values = std::move(inside);
    return window;
}

Status addSpectrum(const FigureContext& context, const FigureSubject& subject,
    std::vector<FigureWindow>& windows, FigureData& data) {
    ASSIGN_OR_RETURN(const auto all, powerOf(context.studies.store, subject.run.id));
    if (all.empty())
        return {};
    const auto power = analysis::recordedThroughout(all);
    if (!analysis::haveMostInCommon(power)) {
        data.notes.push_back(subject.named.label
            + ": the GPUs' power was recorded at the same time for a small part only.");
        return {};
    }
    noteLeftOut(subject, all, power, data);
    ASSIGN_OR_RETURN(auto signal,
        analysis::sumOf(
            context.studies.store, power, kMostSteps, kAllTime, context.studies.progress));
    ASSIGN_OR_RETURN(const auto window, windowOf(context.query, context.studies.of(subject.run)));
    auto& series = signal;
    const FigureWindow shown = keepWindow(series, window);
    const auto full = analysis::amplitudeSpectrum(series);
    if (full.amplitudes.size() <= kFirstBin + 1) {
        data.notes.push_back(subject.named.label + " is too short for a spectrum.");
        return {};
    }
    FigureSpectrum spectrum;
    ASSIGN_OR_RETURN(
        const auto iterations, analysis::iterationsOf(context.studies.of(subject.run)));
    spectrum.iterationHz = iterations.frequencyHz;
    spectrum.run = data.runs.size();
    reduce(full, spectrum);
    addLines(series, spectrum);
    data.runs.push_back(subject.named);
    data.spectra.push_back(std::move(spectrum));
    windows.push_back(shown);
    return {};
}

// One pair of axes for all: amplitudes can be compared.
void setAxes(FigureData& data) {
    std::vector<double> amplitudes;
    double highest = 0.0;
    double least = 0.0;
    for (const auto& spectrum : data.spectra) {
        amplitudes.insert(amplitudes.end(), spectrum.amplitudeW.begin(), spectrum.amplitudeW.end());
        for (const auto& line : spectrum.lines)
            amplitudes.push_back(line.amplitudeW);
        highest = std::max(highest, spectrum.frequencyHz.back());
    }
    for (const double amplitude : amplitudes) {
        if (amplitude > 0.0)
            least = least > 0.0 ? std::min(least, amplitude) : amplitude;
    }
    data.amplitude = axisOf("amplitude of the summed GPU power", {}, "W", amplitudes, true);
    data.frequency = axisOf("frequency", {}, "Hz", {0.0, highest}, true);
    data.frequency.range.high = highest;
    if (data.query.logScale && least > 0.0) {
        data.amplitude.log = true;
        // Not lower than a millionth of the strongest: there is only rounding.
        data.amplitude.range.low = std::max(least, data.amplitude.range.high * 1e-6);
    }
}

} // namespace

Status loadSpectrum(const FigureContext& context, FigureData& data) {
    ASSIGN_OR_RETURN(auto subjects, figureSubjects(context.studies.store, context.query));
    std::vector<FigureWindow> windows;
    for (const auto& subject : subjects) {
        if (context.query.runs.empty() && data.spectra.size() == kMostRuns) {
            data.notes.push_back(fmt::format("The first {} of {} are shown.", kMostRuns,
                text::counted(std::ssize(subjects), "run")));
            break;
        }
        if (subject.run.status == RunStatus::Oom)
            continue;
        if (auto added = addSpectrum(context, subject, windows, data); !added.hasValue())
            return added;
    }
    if (data.spectra.empty()) {
        data.emptyText = "No run has GPU power that is long enough for a spectrum.";
        return {};
    }
    setAxes(data);
    data.title = "Spectrum of the summed GPU power";
    data.caption = windowCaption(windows, context.query)
        + " Amplitude of a sine: half its peak-to-peak swing; dotted: the iteration's frequency "
          "and its multiples.";
    return {};
}

} // namespace trainscope::figures
