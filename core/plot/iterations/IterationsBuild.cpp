#include "core/plot/iterations/IterationsFigure.h"

#include "core/plot/Palette.h"
#include "core/plot/figures/ColumnChart.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/replay/StepBars.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::plot {

namespace {

using analysis::IterationChange;
using analysis::IterationRow;
using analysis::PartDifference;

constexpr std::size_t kMostChangesTold = 4;
constexpr double kPointerReach = 8.0; // distance from a point at which the pointer still means it
constexpr double kStripLines = 14.0; // lines of small text
constexpr double kHistogramShare = 0.14; // share of the width
constexpr std::size_t kBins = 24;
constexpr double kFarOut = 1.6; // times the middle nine of ten: times beyond stand at the edge
constexpr double kBarsShare = 0.75; // share of the height that bars of steps have alone

std::string signedSeconds(double seconds) {
    return (seconds < 0.0 ? "−" : "+") + text::seconds(std::abs(seconds));
}

// Times far beyond the usual ones would press these together.
ColumnChart chartOf(const analysis::IterationTable& table) {
    ColumnChart chart;
    const double most
        = table.highS + kFarOut * std::max(table.highS - table.lowS, 0.05 * table.highS);
    std::vector<double> indices;
    std::vector<double> seconds;
    for (const IterationRow& row : table.rows) {
        indices.push_back(static_cast<double>(row.iteration.index));
        seconds.push_back(std::min(row.seconds(), most));
        chart.points.push_back({indices.back(), seconds.back()});
    }
    chart.x = columnAxis("iteration", {}, indices);
    const auto [first, last] = std::ranges::minmax(indices);
    chart.x.range = {first - 0.5, last + 0.5};
    chart.y = columnAxis("Step time", "s", seconds);
    chart.y.range.high = std::min(chart.y.range.high, most); // those beyond stand at the edge
    return chart;
}

class IterationsDrawing {
public:
    IterationsDrawing(const Sheet& sheet, const IterationsFigureData& data, Rect room)
        : m_sheet(sheet)
        , m_data(data)
        , m_chart(chartOf(*data.table))
        , m_room(room)
        , m_loud(legibleOn(sheet.theme.warning, sheet.theme.window))
        , m_ink(legibleOn(seriesColor(0), sheet.theme.window)) { }

    void draw() {
        const double aside = kHistogramShare * m_room.width;
        FigureStyle style = m_sheet.style;
        style.title = style.caption = false;
        style.width = m_room.width - aside;
        style.height = m_room.height;
        Picture strip = buildColumnChart(m_chart, style);
        strip.targets.clear();
        const Rect plot = strip.areas.front();
        m_strip = {m_room.x + plot.x, m_room.y + plot.y, plot.width, plot.height};
        m_sheet.picture.areas.push_back(m_strip);
        m_sheet.picture.append(std::move(strip), {m_room.x, m_room.y});
        drawHistogram({m_room.right() - aside, m_strip.y, aside, m_strip.height});
        const auto& changes = m_data.table->changes;
        for (std::size_t i = 0; i < changes.size(); ++i)
            drawChange(changes[i],
                i + 1 < changes.size() ? xOf(changes[i + 1].index) : m_room.right() - aside);
        for (const auto& row : {m_data.chosen, m_data.against}) {
            if (row)
                drawChosen(rows()[*row]);
        }
        drawBeyond();
        addTargets();
    }

    void drawParts(Rect area) const {
        m_sheet.picture.areas.push_back(area);
        m_sheet.heading({area.x, area.y + m_sheet.size()}, m_data.comparison->title, area.width,
            TextRole::Small);
        std::vector<StepBar> bars;
        for (const PartDifference& part : m_data.comparison->parts) {
            const bool isMore = part.differenceS >= 0.0;
            bars.push_back({part.name, std::abs(part.differenceS), {}, isMore ? m_loud : m_ink,
                (isMore ? "more, of " : "less, of ") + text::seconds(part.seconds), {}});
        }
        const double head = m_sheet.lineHeight() + m_sheet.gap();
        drawStepBars(m_sheet, {}, bars, {area.x, area.y + head, area.width, area.height - head});
    }

private:
    [[nodiscard]] const std::vector<IterationRow>& rows() const { return m_data.table->rows; }
    [[nodiscard]] double xOf(std::int64_t index) const {
        return m_strip.x + m_strip.width * fractionOf(m_chart.x, static_cast<double>(index));
    }

    void drawHistogram(Rect area) const {
        std::array<double, kBins> bins{};
        for (const IterationRow& row : rows())
            ++bins[std::min(
                kBins - 1, static_cast<std::size_t>(fractionOf(m_chart.y, row.seconds()) * kBins))];
        const double most = *std::ranges::max_element(bins);
        const double height = area.height / kBins;
        m_sheet.heading(
            {area.x, area.y - 1.5 * m_sheet.gap()}, "How many", area.width, TextRole::Small);
        for (std::size_t i = 0; i < kBins; ++i)
            m_sheet.fill({area.x, area.bottom() - height * static_cast<double>(i + 1),
                             area.width * bins[i] / most, 0.85 * height},
                withAlpha(m_ink, 150));
    }

    // The words that have room before the next change.
    void drawChange(const IterationChange& change, double end) const {
        const double at = xOf(change.index);
        const double early = xOf(change.earliest);
        m_sheet.fill(
            {early, m_strip.y, xOf(change.latest) - early, m_strip.height}, withAlpha(m_loud, 40));
        m_sheet.scene.items.emplace_back(
            Line{{at, m_strip.y}, {at, m_strip.bottom()}, m_loud, m_sheet.theme.lineWidth, true});
        const std::string more = signedSeconds(change.seconds.after - change.seconds.before);
        for (const std::string& words : {fmt::format("from {}: {} ± {}", change.index, more,
                                             text::seconds(change.seconds.margin)),
                 more}) {
            if (at + m_sheet.width(words) + 2.0 * m_sheet.gap() > end)
                continue;
            m_sheet.text({at + m_sheet.gap(), m_strip.y + m_sheet.size()}, words,
                legibleOn(m_loud, m_sheet.theme.window, 4.5));
            break;
        }
    }

    // Points at the upper edge stand for longer times.
    void drawBeyond() const {
        const double most = m_chart.y.range.high;
        const auto beyond = std::ranges::count_if(
            rows(), [most](const IterationRow& row) { return row.seconds() > most; });
        if (beyond > 0)
            m_sheet.text({m_strip.right(), m_strip.y - 0.5 * m_sheet.gap()},
                fmt::format("{} longer, up to {}", beyond,
                    text::seconds(
                        std::ranges::max_element(rows(), {}, &IterationRow::seconds)->seconds())),
                m_sheet.theme.textSecondary, TextRole::Small, Align::Right);
    }

    void drawChosen(const IterationRow& row) const {
        const double x = xOf(row.iteration.index);
        m_sheet.fill({x - kPointerReach, m_strip.y, 2.0 * kPointerReach, m_strip.height},
            m_sheet.theme.selection);
        m_sheet.dot({x, m_strip.bottom() - m_strip.height * fractionOf(m_chart.y, row.seconds())},
            kPointerReach, m_sheet.theme.accent);
    }

    // Offers the slowest of the rows in a column of pixels, as far as the pointer reaches, but
    // no nearer to the next.
    void addTargets() const {
        std::map<std::int64_t, std::size_t> slowest; // by column
        for (std::size_t i = 0; i < rows().size(); ++i) {
            const auto x = static_cast<std::int64_t>(xOf(rows()[i].iteration.index));
            const auto [best, isFirst] = slowest.emplace(x, i);
            if (!isFirst && rows()[best->second].seconds() < rows()[i].seconds())
                best->second = i;
        }
        double begin = -1e9;
        for (auto at = slowest.begin(); at != slowest.end(); ++at) {
            const auto next = std::next(at);
            const double own = static_cast<double>(at->first) + 0.5;
            const double middle = next == slowest.end()
                ? 1e9
                : (own + static_cast<double>(next->first) + 0.5) / 2.0;
            const double left = std::max(begin, own - kPointerReach);
            m_sheet.target(
                {left, m_strip.y, std::min(middle, own + kPointerReach) - left, m_strip.height},
                Shown{m_data.table->run.id, m_data.table->rank, {}, at->second, false},
                [table = m_data.table, row = at->second](Hit& hit) { tell(*table, row, hit); });
            begin = middle;
        }
    }
    static void tell(const analysis::IterationTable& table, std::size_t at, Hit& hit) {
        const IterationRow& row = table.rows[at];
        hit.title = fmt::format("Iteration {}", row.iteration.index);
        hit.range = row.iteration.range;
        hit.facts.emplace_back("time", text::seconds(row.seconds()));
        hit.facts.emplace_back("against the median", signedSeconds(row.seconds() - table.medianS));
        hit.facts.emplace_back("began", text::moment(row.iteration.range.begin));
        if (row.iteration.warmup)
            hit.facts.emplace_back("", "warm-up");
    }

    const Sheet& m_sheet;
    const IterationsFigureData& m_data;
    ColumnChart m_chart;
    Rect m_room;
    Color m_loud; // longer times
    Color m_ink;
    Rect m_strip = {};
};

} // namespace

void choose(IterationsFigureData& data, std::optional<std::size_t> row,
    std::optional<std::size_t> against) {
    data.chosen = row;
    data.against = against;
    data.comparison
        = row ? std::optional(compareIterations(*data.table, *row, against)) : std::nullopt;
}

Picture buildIterations(const IterationsFigureData& data, const FigureStyle& style) {
    Picture picture;
    Sheet sheet(picture, style);
    if (!data.table || data.table->rows.empty()) {
        sheet.drawEmpty(data);
        return picture;
    }
    const std::size_t parts = data.comparison ? data.comparison->parts.size() : 0;
    const auto& changes = data.table->changes;
    std::vector<std::string> told;
    for (std::size_t i = 0; i < std::min(changes.size(), kMostChangesTold); ++i)
        std::ranges::copy(
            sheet.wrapped(changeText(changes[i]), sheet.width(), 2, TextRole::Secondary),
            std::back_inserter(told));
    const double line = sheet.lineHeight(TextRole::Secondary);
    const double below = parts == 0
        ? 0.0
        : sheet.lineHeight() + 3.0 * sheet.gap() + kBarsShare * stepBarsHeight(sheet, parts);
    Rect room = sheet.open(
        data, line * static_cast<double>(told.size()) + kStripLines * sheet.lineHeight() + below);
    for (const std::string& words : told) {
        sheet.text({room.x, room.y + sheet.size(TextRole::Secondary)}, words, sheet.theme.text,
            TextRole::Secondary);
        room.y += line;
        room.height -= line;
    }
    room.height -= below;
    IterationsDrawing drawing(sheet, data, room);
    drawing.draw();
    if (parts > 0)
        drawing.drawParts(
            {room.x, room.bottom() + 2.0 * sheet.gap(), room.width, below - 2.0 * sheet.gap()});
    sheet.close();
    return picture;
}

} // namespace trainscope::plot
