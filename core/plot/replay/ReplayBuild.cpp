#include "core/plot/figures/FigureParts.h"
#include "core/plot/replay/ReplayFigure.h"
#include "core/plot/replay/StepBars.h"
#include "core/text/Table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainscope::plot {

namespace {

// The critical path of an iteration: a row for each track that it visits, a bar for each stay, and
// lines where it goes on to another track; below it what is longest on it.

using analysis::PathPiece;
using analysis::StepGraph;

constexpr std::size_t kMostPathRows = 24; // more tracks share the rows of their ranks
constexpr std::size_t kMostTopRows = 10;

std::string_view categoryOf(const StepGraph& graph, const PathPiece& piece) {
    if (piece.isDelay)
        return "delay";
    return graph.categories[graph.operations[piece.operation].category];
}

std::string gainText(const analysis::PathRow& row) {
    return row.gainS > 0.0 ? "gain if gone " + text::seconds(*row.gainS) : std::string();
}

class PathBuilder {
public:
    PathBuilder(const ReplayFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style) { }

    Picture build() {
        if (!m_data.replay || m_data.replay->path.pieces.empty()) {
            m_sheet.drawEmpty(m_data);
            return std::move(m_picture);
        }
        choosePieces();
        chooseRows();
        m_sheet.setLegend(legend());
        auto top = topBars();
        const double axis = 2.0 * m_sheet.lineHeight() + 2.0 * m_sheet.gap();
        const double rows = 1.9 * m_sheet.size() * static_cast<double>(m_names.size());
        const Rect room = m_sheet.open(m_data, rows + axis + stepBarsHeight(m_sheet, top.size()));
        // In a lower figure the last bars give way.
        const double rest = std::max(room.height - axis - rows, 0.0);
        while (top.size() > 1 && 0.7 * stepBarsHeight(m_sheet, top.size()) > rest)
            top.pop_back();
        const double below = axis + std::min(stepBarsHeight(m_sheet, top.size()), rest);
        double names = 0.0;
        for (const auto& name : m_names)
            names = std::max(names, m_sheet.width(name));
        const double left = std::min(names, 0.3 * room.width) + 2.0 * m_sheet.gap();
        m_area = {room.x + left, room.y, room.width - left, std::max(room.height - below, 1.0)};
        drawRows();
        drawAxis();
        drawPieces();
        drawStepBars(m_sheet, m_data.run, top,
            {room.x, m_area.bottom() + axis, room.width, std::max(below - axis, 1.0)});
        m_sheet.close();
        return std::move(m_picture);
    }

private:
    [[nodiscard]] const StepGraph& graph() const { return *m_data.replay->graph; }
    [[nodiscard]] const analysis::StepTrack& trackOf(const PathPiece& piece) const {
        return graph().tracks[graph().operations[piece.operation].track];
    }

    // Operations that are no kernels have the colours of series, by their kinds' places.
    [[nodiscard]] Color colorOf(std::string_view category) const {
        const auto found = std::ranges::find(graph().categories, category);
        if (!graph().isOfOperations || found == graph().categories.end())
            return stepColor(m_sheet.theme, category);
        return seriesColor(static_cast<std::size_t>(found - graph().categories.begin()));
    }

    void choosePieces() {
        for (const PathPiece& piece : m_data.replay->path.pieces) {
            if (piece.iteration == m_data.replay->path.pieces.front().iteration)
                m_pieces.push_back(piece);
        }
        m_begin = m_pieces.front().when.begin;
        m_seconds = std::max((m_pieces.back().when.end - m_begin).seconds(), 1e-9);
    }

    void chooseRows() {
        std::set<std::pair<int, std::uint32_t>> tracks; // by rank
        for (const PathPiece& piece : m_pieces)
            tracks.emplace(trackOf(piece).rank, graph().operations[piece.operation].track);
        const bool isByRank = tracks.size() > kMostPathRows;
        std::map<int, std::size_t> rankRows;
        for (const auto& [rank, track] : tracks) {
            const auto [place, isNew] = rankRows.try_emplace(rank, m_names.size());
            if (!isByRank || isNew)
                m_names.push_back(fmt::format(
                    "rank {}{}", rank, isByRank ? "" : " · " + graph().tracks[track].name));
            m_rows[track] = isByRank ? place->second : m_names.size() - 1;
        }
    }

    [[nodiscard]] Sheet::Legend legend() const {
        std::set<std::string_view> shown;
        for (const PathPiece& piece : m_pieces)
            shown.insert(categoryOf(graph(), piece));
        Sheet::Legend entries;
        for (const std::string_view category : shown)
            entries.emplace_back(stepTitle(category), colorOf(category));
        return entries;
    }

    [[nodiscard]] std::vector<StepBar> topBars() const {
        std::vector<StepBar> bars;
        for (const analysis::PathRow& row : m_data.replay->path.top) {
            if (bars.size() == kMostTopRows)
                break;
            const bool hasRank = row.rank >= 0 && m_data.replay->path.byRank.size() > 1;
            bars.push_back({(hasRank ? fmt::format("rank {} · ", row.rank) : "") + row.name,
                row.seconds, {}, colorOf(row.category), gainText(row),
                row.rank >= 0 ? std::optional(row.rank) : std::nullopt});
        }
        return bars;
    }

    [[nodiscard]] double xOf(TimeNs time) const {
        return m_area.x
            + std::clamp((time - m_begin).seconds() / m_seconds, 0.0, 1.0) * m_area.width;
    }
    [[nodiscard]] Rect rowOf(std::size_t row) const {
        const double height = m_area.height / static_cast<double>(m_names.size());
        return {m_area.x, m_area.y + static_cast<double>(row) * height, m_area.width,
            std::max(height - m_sheet.gap(), 1.0)};
    }

    void drawRows() {
        const std::size_t every
            = labelStep(m_sheet.size(), m_area.height / static_cast<double>(m_names.size()));
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            const Rect row = rowOf(i);
            m_picture.areas.push_back(row);
            m_sheet.fill(row, m_sheet.theme.panel);
            if (i % every == 0)
                m_sheet.note({m_area.x - m_sheet.gap(), m_sheet.centred(row)},
                    m_sheet.fitted(m_names[i], 0.3 * m_sheet.width()), Align::Right);
        }
    }

    void drawAxis() const {
        FigureAxis axis;
        axis.title = "Time since the iteration began, replayed";
        axis.siUnit = "s";
        axis.unit = text::shownUnit("s", m_seconds);
        axis.range = {0.0, m_seconds};
        const int most = std::max(2, static_cast<int>(m_area.width / (4.0 * m_sheet.size())));
        const double y = m_area.bottom() + m_sheet.size();
        for (const ValueTick& tick : ticksOf(axis, most)) {
            const double x = m_area.x + tick.value / m_seconds * m_area.width;
            m_sheet.line({x, m_area.y}, {x, m_area.bottom()}, m_sheet.theme.grid);
            m_sheet.note({x, y}, tick.label, Align::Centre);
        }
        m_sheet.note({m_area.x + m_area.width / 2.0, y + m_sheet.lineHeight()}, axisTitle(axis),
            Align::Centre);
    }

    void drawPieces() {
        std::vector<Bars> rows;
        for (std::size_t i = 0; i < m_names.size(); ++i)
            rows.push_back(Bars{rowOf(i), {}});
        std::map<std::int64_t, std::pair<double, double>> links; // by pixel, from top to bottom
        std::size_t before = m_names.size();
        for (const PathPiece& piece : m_pieces) {
            const std::size_t row = m_rows.at(graph().operations[piece.operation].track);
            const Rect place = addPiece(rows[row], piece);
            if (before < row || (before > row && before < m_names.size()))
                join(links[std::llround(place.x)], rowOf(before), place);
            before = row;
        }
        for (Bars& row : rows)
            m_picture.scene.items.emplace_back(std::move(row));
        for (const auto& [x, link] : links)
            m_sheet.line({static_cast<double>(x), link.first},
                {static_cast<double>(x), link.second}, m_sheet.theme.text);
    }

    static void join(std::pair<double, double>& link, const Rect& from, const Rect& to) {
        const double top = std::min(from.y, to.y) + from.height / 2.0;
        const double bottom = std::max(from.y, to.y) + from.height / 2.0;
        link = link.second > 0.0
            ? std::pair(std::min(link.first, top), std::max(link.second, bottom))
            : std::pair(top, bottom);
    }

    Rect addPiece(Bars& row, const PathPiece& piece) {
        const double left = xOf(piece.when.begin);
        const Rect place{left, row.area.y, xOf(piece.when.end) - left, row.area.height};
        if (!row.bars.empty() && place.width < 1.0 && place.right() - row.bars.back().left < 1.0) {
            row.bars.back().right = std::max(row.bars.back().right, place.right());
            return place;
        }
        // A delay is no work: a low bar.
        row.bars.push_back(
            {left, std::max(place.right(), left + 0.5), colorOf(categoryOf(graph(), piece)),
                piece.isDelay ? 0.4F : 0.0F, piece.isDelay ? 0.6F : 1.0F});
        if (place.width >= 1.0)
            m_sheet.target(place, Shown{m_data.run, trackOf(piece).rank, {}, {}, false},
                [replay = m_data.replay, piece](Hit& hit) { tellPiece(*replay, piece, hit); });
        return place;
    }

    static void tellPiece(const analysis::StepReplay& replay, const PathPiece& piece, Hit& hit) {
        const auto& operation = replay.graph->operations[piece.operation];
        const std::string& name = replay.graph->names[operation.name];
        hit.title = piece.isDelay ? "delay before " + name : name;
        hit.range = piece.when;
        hit.facts = {{"takes", text::duration(piece.when.length())},
            {"category", stepTitle(categoryOf(*replay.graph, piece))},
            {"on", replay.graph->tracks[operation.track].name}};
        if (operation.operatorName != analysis::kNone32)
            hit.facts.emplace_back("called by", replay.graph->names[operation.operatorName]);
    }

    const ReplayFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // all rows, time from left to right
    std::vector<PathPiece> m_pieces;
    TimeNs m_begin;
    double m_seconds = 0.0;
    std::vector<std::string> m_names; // by row
    std::map<std::uint32_t, std::size_t> m_rows; // by track
};

using analysis::StepReplay;
using analysis::StepWait;

constexpr std::size_t kMostWaitRows = 16;

struct NamedStep {
    std::string name;
    std::optional<double> seconds;
    std::optional<std::pair<double, double>> interval;
    std::optional<analysis::EstimatedEnergy> energy;
};

std::vector<NamedStep> stepsOf(const StepReplay& replay) {
    std::optional<std::pair<double, double>> interval;
    if (replay.changedLowS && replay.changedHighS)
        interval.emplace(*replay.changedLowS, *replay.changedHighS);
    return {{"measured", replay.measuredS, {}, replay.energy},
        {"measured without profiler", replay.unprofiledS, {}, {}},
        {"replayed", replay.replayedS, {}, {}}, {"ideal", replay.idealS, {}, {}},
        {"changed", replay.changedS, interval, replay.changedEnergy}};
}

std::vector<StepBar> stepBars(const StepReplay& replay) {
    std::vector<StepBar> bars;
    for (const NamedStep& step : stepsOf(replay)) {
        if (!step.seconds)
            continue;
        std::string words;
        if (!bars.empty())
            words = text::signedPercent(*step.seconds / replay.measuredS - 1.0);
        if (step.energy)
            words += (words.empty() ? "" : "  ") + text::rounded(step.energy->joules, "J");
        bars.push_back({step.name, *step.seconds, step.interval,
            seriesColor(step.name == "changed" ? 0
                    : step.name == "ideal"     ? 2
                                               : 1),
            words, {}});
    }
    return bars;
}

// "rank 3: lower clock (92 %) · 3 → 0 → 1"
std::string waitWords(const StepWait& wait) {
    std::string words = wait.rank >= 0 ? fmt::format("rank {}: ", wait.rank) : std::string();
    words += analysis::causeText(wait);
    if (wait.chain.size() > 1)
        words += fmt::format(" · {}", fmt::join(wait.chain, " → "));
    return words;
}

std::vector<StepBar> waitBars(const StepReplay& replay) {
    std::vector<StepBar> bars;
    for (const StepWait& wait : replay.waits) {
        if (bars.size() == kMostWaitRows)
            break;
        bars.push_back({wait.collective, wait.seconds, {},
            seriesColor(static_cast<std::size_t>(std::max(wait.rank, 0))), waitWords(wait),
            wait.rank >= 0 ? std::optional(wait.rank) : std::nullopt});
    }
    return bars;
}

Picture buildBars(
    const ReplayFigureData& data, const FigureStyle& style, const std::vector<StepBar>& bars) {
    Picture picture;
    Sheet sheet(picture, style);
    if (bars.empty()) {
        sheet.drawEmpty(data);
        return picture;
    }
    drawStepBars(sheet, data.run, bars, sheet.open(data, stepBarsHeight(sheet, bars.size())));
    sheet.close();
    return picture;
}

} // namespace

Picture buildCriticalPath(const ReplayFigureData& data, const FigureStyle& style) {
    return PathBuilder(data, style).build();
}

std::string criticalPathCsv(const ReplayFigureData& data) {
    std::string csv = "run,iteration,rank,track,category,name,operator,start (ns),duration (s)\n";
    if (!data.replay)
        return csv;
    const StepGraph& graph = *data.replay->graph;
    for (const PathPiece& piece : data.replay->path.pieces) {
        const auto& operation = graph.operations[piece.operation];
        const auto& track = graph.tracks[operation.track];
        const bool isIn = piece.iteration >= 0;
        text::addCsvLine(csv,
            {data.runName,
                isIn ? text::Cell(
                    graph.iterations[static_cast<std::size_t>(piece.iteration)].measured.index)
                     : text::Cell(),
                track.rank, track.name, categoryOf(graph, piece), graph.names[operation.name],
                operation.operatorName == analysis::kNone32 ? text::Cell()
                                                            : graph.names[operation.operatorName],
                piece.when.begin.ns, piece.when.length()});
    }
    return csv;
}

Picture buildReplay(const ReplayFigureData& data, const FigureStyle& style) {
    return buildBars(data, style, data.replay ? stepBars(*data.replay) : std::vector<StepBar>());
}

Picture buildWaits(const ReplayFigureData& data, const FigureStyle& style) {
    return buildBars(data, style, data.replay ? waitBars(*data.replay) : std::vector<StepBar>());
}

std::string replayCsv(const ReplayFigureData& data) {
    std::string csv = "run,step,seconds (s),low (s),high (s),energy (J)\n";
    if (!data.replay)
        return csv;
    for (const NamedStep& step : stepsOf(*data.replay)) {
        const auto cell = [](const auto& known, auto value) {
            return known ? text::Cell((*known).*value) : text::Cell();
        };
        using Interval = std::pair<double, double>;
        text::addCsvLine(csv,
            {data.runName, step.name, step.seconds, cell(step.interval, &Interval::first),
                cell(step.interval, &Interval::second),
                cell(step.energy, &analysis::EstimatedEnergy::joules)});
    }
    return csv;
}

std::string waitsCsv(const ReplayFigureData& data) {
    std::string csv = "run,collective,rank,waiting (s),cause,explained,chain,part,part (s)\n";
    if (!data.replay)
        return csv;
    for (const StepWait& wait : data.replay->waits) {
        const std::vector<text::Cell> own{data.runName, wait.collective, wait.rank, wait.seconds,
            wait.cause, wait.explained, fmt::format("{}", fmt::join(wait.chain, " > "))};
        std::vector<std::vector<text::Cell>> parts;
        for (const analysis::WaitPart& part : wait.parts)
            parts.push_back({part.cause, part.seconds});
        if (parts.empty())
            parts.push_back({{}, {}});
        for (const auto& part : parts) {
            auto cells = own;
            cells.insert(cells.end(), part.begin(), part.end());
            text::addCsvLine(csv, cells);
        }
    }
    return csv;
}

} // namespace trainscope::plot
