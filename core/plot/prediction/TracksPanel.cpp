// Predicted telemetry over what was measured: means of the GPUs with their bands on one axis of a
// step, and below each metric what the prediction leaves.
#include "core/plot/Palette.h"
#include "core/plot/RunInk.h"
#include "core/plot/figures/CurvePlot.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainscope::plot {

namespace {

constexpr std::size_t kMeasuredInk = 0; // places of RunInk.h
constexpr std::size_t kPredictedInk = 1;
constexpr std::uint8_t kTrackBandAlpha = 60;

std::string residualText(const PredictedTrack& track) {
    const auto told = [&track](double value) {
        return unbroken(text::quantity(value, track.axis.siUnit, text::Digits::Three));
    };
    const auto& residual = track.told;
    std::string words = fmt::format(
        "predicted − measured: mean {}, 90 % within {}", told(residual.mean), told(residual.p90));
    if (residual.level > 0.0 && track.axis.siUnit != "°C")
        words += fmt::format(" ({} and {})", text::percent(residual.mean / residual.level),
            text::percent(residual.p90 / residual.level));
    return words + fmt::format(", bias {}{}", residual.bias > 0.0 ? "+" : "", told(residual.bias));
}

class PredictedTracksPanel : public PanelContent {
public:
    PredictedTracksPanel(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_tracks(*frame.data.tracks)
        , m_width(width) {
        for (const auto& track : m_tracks.tracks) {
            for (const auto* axis : {&track.axis, &track.residualAxis}) {
                for (const auto& tick : ticksOf(*axis, 5))
                    m_labels = std::max(m_labels, frame.width(tick.label));
            }
            m_told.push_back(frame.wrapped(residualText(track), width, 3));
        }
        m_labels += 1.5 * frame.gap();
        m_time.title = m_tracks.seconds ? "Time" : "Step";
        m_time.siUnit = m_tracks.seconds ? "s" : "1";
        m_time.range = {0.0, m_tracks.seconds.value_or(1.0)};
        m_time.unit = m_tracks.seconds ? text::shownUnit("s", *m_tracks.seconds)
                                       : text::ShownUnit{"%", 100.0};
    }

    [[nodiscard]] double height() const override {
        double all = legend({}, false) + m_frame.gap() + gridHeight(m_frame);
        for (std::size_t i = 0; i < m_tracks.tracks.size(); ++i)
            all += trackHeight(i);
        return all;
    }

    void draw(Rect area) const override {
        legend({area.x, area.y}, true);
        double y = area.y + legend({}, false) + m_frame.gap();
        const double left = area.x + m_labels;
        const Rect whole{left, y, std::max(area.right() - left - 2.0 * m_frame.size(), 1.0),
            area.y + height() - gridHeight(m_frame) - y};
        drawGrid(m_frame, m_time, whole);
        for (std::size_t i = 0; i < m_tracks.tracks.size(); ++i) {
            drawTrack(i, {whole.x, y, whole.width, trackHeight(i)}, area.x);
            y += trackHeight(i);
        }
    }

private:
    static constexpr double kTrackLines = 6.0; // lines of small text
    static constexpr double kResidualLines = 3.0;

    [[nodiscard]] double line() const { return m_frame.lineHeight(); }
    [[nodiscard]] double trackHeight(std::size_t track) const {
        return (1.0 + kTrackLines + kResidualLines + static_cast<double>(m_told[track].size()))
            * line()
            + 9.0 * m_frame.gap();
    }

    [[nodiscard]] Color inkOf(std::size_t place) const {
        return runInk(seriesColor(place), place, m_frame.theme, m_frame.theme.panel);
    }

    // Returns its height.
    double legend(Point at, bool isDrawn) const {
        const double size = m_frame.size();
        const double sample = inkSampleLength(m_frame.theme);
        LegendFlow flow(m_frame,
            {sample, m_frame.gap(), 1.5 * size, line(), 0.64 * size, m_frame.theme.text}, at,
            m_width, isDrawn);
        const std::array<std::string, 2> names{"measured: " + m_tracks.run, "predicted"};
        for (std::size_t place = 0; place < names.size(); ++place) {
            flow.add(names[place], [&](Point left) {
                drawInkSample(
                    m_frame, place, left, sample, 2.0 * m_frame.theme.lineWidth, inkOf(place));
            });
        }
        return flow.height();
    }

    void drawTrack(std::size_t at, Rect rect, double left) const {
        const auto& track = m_tracks.tracks[at];
        m_frame.text({left, rect.y + m_frame.size()}, axisTitle(track.axis), m_frame.theme.text,
            TextRole::Small, Align::Left, true);
        const Rect plot{
            rect.x, rect.y + line() + 2.0 * m_frame.gap(), rect.width, kTrackLines * line()};
        const CurvePlot drawn(m_frame, track.axis, plot);
        drawn.grid();
        for (const std::size_t place : {kMeasuredInk, kPredictedInk}) {
            const PredictedLine& line = place == kMeasuredInk ? track.measured : track.predicted;
            drawn.band(line.low, line.high, withAlpha(seriesColor(place), kTrackBandAlpha));
        }
        drawn.line(track.measured.mean, inkOf(kMeasuredInk), kMeasuredInk);
        drawn.line(track.predicted.mean, inkOf(kPredictedInk), kPredictedInk);
        double y = plot.bottom() + 2.0 * m_frame.gap();
        for (const auto& words : m_told[at]) {
            m_frame.text({left, y + m_frame.size()}, words, m_frame.theme.textSecondary);
            y += line();
        }
        const Rect lane{rect.x, y + 2.0 * m_frame.gap(), rect.width, kResidualLines * line()};
        const CurvePlot residual(m_frame, track.residualAxis, lane);
        residual.grid();
        residual.shade(track.residual, withAlpha(seriesColor(kPredictedInk), 2 * kTrackBandAlpha));
        const auto told = [&track](double value) {
            return text::quantity(value, track.axis.siUnit, text::Digits::Three);
        };
        m_frame.target({plot.x, plot.y, plot.width, lane.bottom() - plot.y},
            track.axis.title + ", predicted − measured",
            {{"Mean of it, absolute", told(track.told.mean)},
                {"90th percentile", told(track.told.p90)}, {"Bias", told(track.told.bias)},
                {"Of",
                    track.told.gpus > 0
                        ? text::counted(static_cast<std::int64_t>(track.told.gpus), "GPU")
                        : std::string("the means of the GPUs")}});
    }

    const PredictionFrame& m_frame;
    const PredictedTracks& m_tracks;
    double m_width;
    double m_labels = 0.0;
    std::vector<std::vector<std::string>> m_told; // by track
    FigureAxis m_time;
};

} // namespace

MadeContent predictedTracks(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedTracksPanel>(frame, width);
}

} // namespace trainscope::plot
