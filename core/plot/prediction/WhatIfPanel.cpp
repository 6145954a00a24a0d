// Effect of changes on the step: for each thing a bar for less and one for more of it, from the
// job's present rate.
#include "core/plot/Palette.h"
#include "core/plot/prediction/PredictionFrame.h"
#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

std::string timesText(double factor) {
    return factor == 0.5 ? "½" : fmt::format("{:g} ×", text::worded(factor));
}

// "+4.2 %"
std::string changedText(double fraction, int decimals) {
    std::string words = text::signedPercent(fraction, decimals);
    return words == text::signedPercent(0.0, decimals) ? "±0 %" : words;
}

class PredictedWhatIf : public PanelContent {
public:
    PredictedWhatIf(const PredictionFrame& frame, double width)
        : m_frame(frame)
        , m_width(width) {
        std::vector<double> ends{frame.data.rate};
        for (const auto& one : frame.data.sensitivities) {
            m_labels = std::max({m_labels, frame.width(one.title, TextRole::Small, true),
                frame.width(one.value), frame.width(elasticityOf(one))});
            m_joined = std::max(m_joined, frame.width(joinedOf(one)));
            for (const bool isMore : {false, true}) {
                const auto* change = farthest(one, isMore);
                if (change == nullptr)
                    continue;
                m_values = std::max(m_values, frame.width(textOf(*change), TextRole::Small, true));
                if (!change->isOom)
                    ends.insert(ends.end(),
                        {change->rate.value, change->rate.low.value_or(change->rate.value),
                            change->rate.most()});
            }
        }
        constexpr double kMostJoined = 0.36; // of the width
        m_isJoined = m_joined <= kMostJoined * width;
        m_labels = m_isJoined ? std::max(m_labels, m_joined) : std::min(m_labels, 0.45 * width);
        m_axis = axisOf("Tokens/s per GPU", {}, "", ends, false);
    }

    [[nodiscard]] double height() const override {
        return rows() * rowStep() + gridHeight(m_frame) + 2.0 * m_frame.gap() + legend({}, false);
    }

    void draw(Rect area) const override {
        const double left = area.x + m_labels + 3.0 * m_frame.gap();
        const double right = area.right() - m_values - 3.0 * m_frame.gap();
        const Rect plot{left, area.y, std::max(right - left, 1.0), rows() * rowStep()};
        drawGrid(m_frame, m_axis, plot);
        double y = area.y;
        for (const auto& one : m_frame.data.sensitivities) {
            drawRow(one, {plot.x, y, plot.width, rowStep() - m_frame.gap()}, area);
            y += rowStep();
        }
        const double now = plot.x + plot.width * fractionOf(m_axis, m_frame.data.rate);
        m_frame.line(
            {now, plot.y}, {now, plot.bottom()}, m_frame.theme.text, 1.5 * m_frame.theme.lineWidth);
        legend({area.x, plot.bottom() + gridHeight(m_frame) + 2.0 * m_frame.gap()}, true);
    }

private:
    [[nodiscard]] double rows() const {
        return static_cast<double>(m_frame.data.sensitivities.size());
    }
    [[nodiscard]] double rowStep() const {
        return (m_isJoined ? 2.0 : 3.0) * m_frame.lineHeight() + 1.5 * m_frame.gap();
    }

    [[nodiscard]] static std::string elasticityOf(const PredictedSensitivity& one) {
        return one.elasticity
            ? fmt::format("1 % more: step {}", changedText(0.01 * *one.elasticity, 2))
            : std::string();
    }
    // In one line where there is room.
    [[nodiscard]] static std::string joinedOf(const PredictedSensitivity& one) {
        const std::string elasticity = elasticityOf(one);
        return one.value + (one.value.empty() || elasticity.empty() ? "" : "; ") + elasticity;
    }

    // The farthest from what it is now, in that direction; nullptr: it cannot be.
    [[nodiscard]] static const PredictedChange* farthest(
        const PredictedSensitivity& one, bool isMore) {
        const PredictedChange* found = nullptr;
        for (const auto& change : one.changes) {
            if ((change.factor > 1.0) == isMore && (found == nullptr || isMore))
                found = &change;
        }
        return found;
    }

    [[nodiscard]] std::string textOf(const PredictedChange& change) const {
        const std::string times = timesText(change.factor) + ": ";
        if (change.isOom)
            return times + "OOM";
        return times + changedText(change.rate.value / m_frame.data.rate - 1.0, 1);
    }

    [[nodiscard]] Color fillOf(bool isMore, bool isFar) const {
        const Color full = legibleOn(
            isMore ? m_frame.theme.accent : m_frame.theme.textMuted, m_frame.theme.panel);
        return isFar ? blend(full, m_frame.theme.panel, 0.5) : full;
    }

    void drawRow(const PredictedSensitivity& one, Rect row, const Rect& area) const {
        const double line = m_frame.lineHeight();
        m_frame.text({area.x, row.y + m_frame.size()},
            m_frame.fitted(one.title, m_labels, TextRole::Small, true), m_frame.theme.text,
            TextRole::Small, Align::Left, true);
        const auto note = [&](const std::string& words, double lines) {
            m_frame.text({area.x, row.y + lines * line + m_frame.size()},
                m_frame.fitted(words, m_labels), m_frame.theme.textSecondary);
        };
        note(m_isJoined ? joinedOf(one) : one.value, 1.0);
        if (!m_isJoined)
            note(elasticityOf(one), 2.0);
        PredictionFrame::Facts facts;
        if (!one.value.empty())
            facts.emplace_back("Now", one.value);
        for (const auto& change : one.changes)
            facts.emplace_back(timesText(change.factor),
                change.isOom ? "out of memory" : predictedText(change.rate, ""));
        m_frame.target({area.x, row.y, area.width, row.height}, one.title, facts);
        for (const bool isMore : {false, true}) {
            const double y = row.y + (isMore ? line : 0.0);
            drawBars(one, isMore, {row.x, y + 0.1 * line, row.width, 0.8 * line});
            if (const auto* change = farthest(one, isMore))
                m_frame.text({area.right(), y + m_frame.size()}, textOf(*change),
                    change->isOom ? m_frame.theme.warning : m_frame.theme.text, TextRole::Small,
                    Align::Right, change->isOom);
        }
    }

    void drawBars(const PredictedSensitivity& one, bool isMore, Rect bar) const {
        const double now = bar.x + bar.width * fractionOf(m_axis, m_frame.data.rate);
        const auto* far = farthest(one, isMore);
        const auto drawBar = [&](const PredictedChange& change) {
            const double at = bar.x + bar.width * fractionOf(m_axis, change.rate.value);
            const Rect rect{std::min(now, at), bar.y, std::abs(at - now), bar.height};
            m_frame.fill(rect, fillOf(isMore, &change == far));
            if (!isMore && rect.width > 0.0)
                m_frame.hatch(rect, m_frame.theme.panel);
        };
        if (far == nullptr || far->isOom)
            return;
        drawBar(*far);
        for (const auto& change : one.changes) {
            if (&change != far && (change.factor > 1.0) == isMore && !change.isOom)
                drawBar(change);
        }
        m_frame.whisker(far->rate, m_axis, bar);
    }

    // Returns its height.
    double legend(Point at, bool isDrawn) const {
        const double size = m_frame.size();
        const double swatch = 0.8 * size;
        LegendFlow flow(m_frame,
            {2.0 * swatch, m_frame.gap(), 1.2 * size, 1.5 * size, 0.5 * size, m_frame.theme.text},
            at, m_width, isDrawn);
        for (const bool isMore : {false, true}) {
            flow.add(isMore ? "1.25 and 2 times of it" : "0.8 and half of it", [&](Point left) {
                const Rect rect{left.x, left.y - swatch / 2.0, swatch, swatch};
                m_frame.fill(rect, fillOf(isMore, false));
                m_frame.fill({rect.right(), rect.y, swatch, swatch}, fillOf(isMore, true));
                if (!isMore)
                    m_frame.hatch({rect.x, rect.y, 2.0 * swatch, swatch}, m_frame.theme.panel);
            });
        }
        return flow.height();
    }

    const PredictionFrame& m_frame;
    double m_width;
    double m_labels = 0.0;
    double m_joined = 0.0;
    bool m_isJoined = true;
    double m_values = 0.0;
    FigureAxis m_axis;
};

} // namespace

MadeContent predictedWhatIf(const PredictionFrame& frame, double width) {
    return std::make_unique<PredictedWhatIf>(frame, width);
}

} // namespace trainscope::plot
