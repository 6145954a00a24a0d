// Aligned timelines: the kernels of one iteration, a row for the first rank of each stage, run
// above run on one axis of time.
#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

constexpr double kTrackRow = 1.05; // in sizes of the small text
constexpr double kLeastTrackRow = 0.45;
constexpr double kMostFullRows = 32.0; // rows at full height; more are lower

// `share`: of the time axis.
void tellTrack(const ComparisonTracks& tracks, const ComparisonTracks::Row& row,
    const ComparedRun& run, double share, Hit& hit) {
    hit.title = fmt::format("{} · stage {} · rank {}", run.mark, row.stage, row.rank);
    const double seconds = tracks.secondsOf(row.run) * share;
    const auto piece = std::find_if(row.pieces.begin(), row.pieces.end(),
        [seconds](const auto& one) { return one.begin <= seconds && seconds < one.end; });
    addFact(hit, "At", text::seconds(seconds));
    addFact(hit, "Kernels",
        piece == row.pieces.end() ? "idle" : tracks.categoryTitles[piece->category]);
    const TimeNs at = tracks.ranges[row.run].begin + DurationNs{std::llround(seconds * 1e9)};
    hit.range = TimeRange{at, at};
}

class TrackRows : public PanelContent {
public:
    TrackRows(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_tracks(*frame.data.tracks)
        , m_width(width) {
        const auto rows = static_cast<double>(m_tracks.rows.size());
        const double share = rows > kMostFullRows ? kMostFullRows / rows : 1.0;
        m_row = std::max(kTrackRow * share, kLeastTrackRow) * frame.size();
        for (const auto& row : m_tracks.rows) {
            m_marks = std::max(m_marks, frame.width(frame.mark(row.run), TextRole::Small, true));
            m_names = std::max(m_names, frame.width(nameOf(row)));
        }
        m_names += m_marks + 3.0 * frame.gap();
    }

    [[nodiscard]] double height() const override {
        double height = 0.0;
        for (std::size_t i = 0; i < m_tracks.rows.size(); ++i)
            height += m_row + hair() + (isFirst(i) && i > 0 ? 2.0 * m_frame.gap() : 0.0);
        return height + timeTicksHeight(m_frame) + m_frame.gap() + legend({0.0, 0.0}, false);
    }

    void draw(Rect area) const override {
        const double left = area.x + m_names;
        Rect plot{left, area.y, std::max(area.right() - left - 2.0 * m_frame.gap(), 1.0), 0.0};
        plot.height
            = height() - timeTicksHeight(m_frame) - m_frame.gap() - legend({0.0, 0.0}, false);
        if (m_tracks.stretched)
            drawTimeTicks(m_frame, plot, 0.0, 1.0, AxisTicks::Shares);
        else
            drawTimeTicks(m_frame, plot, 0.0, m_tracks.seconds);
        double y = area.y;
        double labelled = -1e9;
        for (std::size_t i = 0; i < m_tracks.rows.size(); ++i) {
            const auto& row = m_tracks.rows[i];
            if (isFirst(i)) {
                y += i > 0 ? 2.0 * m_frame.gap() : 0.0;
                m_frame.drawMark(row.run, {area.x, m_frame.centred(y + m_row / 2.0)});
            }
            const Rect rect{plot.x, y, plot.width, m_row};
            if (y - labelled >= 1.05 * m_frame.size()) {
                labelled = y;
                m_frame.note(
                    {plot.x - m_frame.gap(), m_frame.centred(rect)}, nameOf(row), Align::Right);
            }
            drawRow(row, rect);
            addTarget(row, rect);
            y += m_row + hair();
        }
        legend({area.x, y + timeTicksHeight(m_frame) + m_frame.gap()}, true);
    }

private:
    [[nodiscard]] double hair() const {
        return m_row > 5.0 * m_frame.theme.lineWidth ? 1.5 * m_frame.theme.lineWidth : 0.0;
    }
    [[nodiscard]] bool isFirst(std::size_t i) const {
        return i == 0 || m_tracks.rows[i].run != m_tracks.rows[i - 1].run;
    }
    static std::string nameOf(const ComparisonTracks::Row& row) {
        return fmt::format("stage {}", row.stage);
    }

    double legend(Point at, bool draw) const {
        std::vector<bool> used(m_tracks.categories.size(), false);
        for (const auto& row : m_tracks.rows) {
            for (const auto& piece : row.pieces)
                used[piece.category] = true;
        }
        std::vector<ComparisonLegendEntry> entries;
        for (std::size_t i = 0; i < used.size(); ++i) {
            if (used[i])
                entries.push_back({m_tracks.categories[i], m_tracks.categoryTitles[i]});
        }
        return drawCategoryLegend(m_frame, entries, at, m_width, draw);
    }

    void addTarget(const ComparisonTracks::Row& row, Rect rect) const {
        const ComparedRun& run = m_frame.data.runs[row.run];
        m_frame.picture.targets.push_back({rect, {run.named.id, row.rank, row.stage},
            [&tracks = m_tracks, &row, &run, wide = std::max(rect.width, 1.0)](Hit& hit,
                const Spot& spot) { tellTrack(tracks, row, run, spot.at.x / wide, hit); }});
    }

    void drawRow(const ComparisonTracks::Row& row, Rect rect) const {
        Bars bars{rect, {}};
        const double seconds = m_tracks.secondsOf(row.run);
        const double perSecond = seconds > 0.0 ? rect.width / seconds : 0.0;
        for (std::size_t i = 0; i < row.pieces.size(); ++i) {
            const auto& piece = row.pieces[i];
            const auto isBeside = [&](std::size_t other) {
                return other < row.pieces.size() && row.pieces[other].begin == piece.begin
                    && row.pieces[other].end == piece.end;
            };
            const double left = rect.x
                + std::clamp(static_cast<double>(piece.begin) * perSecond, 0.0, rect.width);
            const double right
                = rect.x + std::clamp(static_cast<double>(piece.end) * perSecond, 0.0, rect.width);
            const Color full = categoryFill(m_frame, m_tracks.categories[piece.category]);
            // Categories of one time stand on each other, as high as their shares of it.
            if (isBeside(i + 1) || (i > 0 && isBeside(i - 1))) {
                const float from = i > 0 && isBeside(i - 1) ? bars.bars.back().to : 0.0F;
                bars.bars.push_back({left, right, full, from, std::min(from + piece.busy, 1.0F)});
                continue;
            }
            // Few steps, so that neighbours merge.
            const double busy = std::clamp(static_cast<double>(piece.busy), 0.0, 1.0);
            const Color color
                = blend(m_frame.paper(), full, 0.3 + 0.7 * std::round(busy * 8.0) / 8.0);
            const bool joins = !bars.bars.empty() && bars.bars.back().color == color
                && bars.bars.back().from == 0.0F && bars.bars.back().to == 1.0F
                && left <= bars.bars.back().right + 0.05;
            if (joins)
                bars.bars.back().right = std::max(bars.bars.back().right, right);
            else if (right > left)
                bars.bars.push_back({left, right, color});
        }
        if (!bars.bars.empty())
            m_frame.scene.items.emplace_back(std::move(bars));
    }

    const ComparisonFrame& m_frame;
    const ComparisonTracks& m_tracks;
    double m_width;
    double m_row = 0.0;
    double m_marks = 0.0;
    double m_names = 0.0;
};

} // namespace

MadeContent tracksContent(const ComparisonFrame& frame, double width) {
    return std::make_unique<TrackRows>(frame, width);
}

} // namespace trainscope::plot
