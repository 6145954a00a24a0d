#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/PowerPeriod.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/figures/runs/RunFigures.h"

#include <cmath>

namespace trainscope::figures {

using namespace plot;

namespace {

constexpr std::size_t kMostRuns = 6; // without a choice of the user's
constexpr std::size_t kMostPoints = 1500;
constexpr std::size_t kMostLines = 6;
constexpr std::size_t kFirstBin = 3; // below lies what is left of mean and drift

// Notes the GPUs that the sum leaves out.
void noteLeftOut(
    const FigureSubject& subject, const analysis::PowerSpectrum& made, FigureData& data) {
    if (made.leftOut.empty())
        return;
    const auto left = std::ssize(made.leftOut);
    data.notes.push_back(
        fmt::format("{}: the power of {} of {} ({}{}) was recorded for a part of the time only "
                    "and is left out of the sum.",
            subject.named.label, left, text::counted(subject.run.gpuCount, "GPU"),
            analysis::subjectText(made.leftOut.front().description.subject),
            left > 1 ? fmt::format(" and {} more", left - 1) : std::string()));
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

void addLines(const std::vector<analysis::SpectralLine>& lines, FigureSpectrum& spectrum) {
    for (const auto& line : lines) {
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

Status addSpectrum(const FigureContext& context, const FigureSubject& subject,
    std::vector<analysis::SteadyState>& windows, FigureData& data) {
    const auto& study = context.studies.of(subject.run);
    ASSIGN_OR_RETURN(
        const auto made, analysis::powerSpectrumOf(study, context.query.wholeRun, kMostLines));
    if (!made) {
        ASSIGN_OR_RETURN(const auto series, context.studies.store.series(subject.run.id));
        const auto power
            = analysis::gpuSeriesOf(analysis::gpuSeriesByRank(series), metric::kGpuPower);
        if (!power.empty())
            data.notes.push_back(subject.named.label
                + ": the GPUs' power was recorded at the same time for a small part only.");
        return {};
    }
    noteLeftOut(subject, *made, data);
    const auto full = analysis::amplitudeSpectrum(made->power);
    if (full.amplitudes.size() <= kFirstBin + 1) {
        data.notes.push_back(subject.named.label + " is too short for a spectrum.");
        return {};
    }
    FigureSpectrum spectrum;
    ASSIGN_OR_RETURN(const auto iterations, analysis::iterationsOf(study));
    spectrum.iterationHz = iterations.frequencyHz;
    spectrum.run = data.runs.size();
    reduce(full, spectrum);
    addLines(made->lines, spectrum);
    data.runs.push_back(subject.named);
    data.spectra.push_back(std::move(spectrum));
    windows.push_back(made->state);
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
    std::vector<analysis::SteadyState> windows;
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
        + " Amplitude of a sine: half its peak-to-peak swing, of marked lines between the steps of "
          "the spectrum; dotted: the iteration's frequency and its multiples.";
    return {};
}

} // namespace trainscope::figures
