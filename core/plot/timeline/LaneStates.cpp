// Lanes of metrics that name states, as reasons of throttling: a row for each state, filled where
// it holds, the darker the more of the GPUs are in it.

#include "core/plot/timeline/LaneFrame.h"

namespace trainscope::plot {

namespace {

constexpr double kFaintestState = 0.25; // share of the colour, with one GPU of many in the state
constexpr double kTallestState = 1.6; // in units of the small text
constexpr int kStateShades = 8;
// Share of the room on the left of the data that the rows' names get.
constexpr double kStateNames = 0.62;

// The greatest shade of the columns that a drawn column stands for; negative: no data.
int shadeOf(const ColumnMap::Source& source, const LaneState& own, const LaneState* behind) {
    const LaneState* from = source.behind ? behind : &own;
    float share = -1.0F;
    for (int column = source.first; from != nullptr && source.first >= 0 && column <= source.last;
         ++column) {
        const auto at = static_cast<std::size_t>(column);
        if (at < from->shares.size() && from->shares[at] > share)
            share = from->shares[at];
    }
    if (!(share > 0.0F))
        return share < 0.0F ? -1 : 0;
    return std::max(1, static_cast<int>(share * kStateShades + kRoundHalf));
}

void drawState(const LaneFrame& frame, const LaneData& lane, std::size_t row, const Rect& strip) {
    const LaneState& state = lane.states[row];
    const bool hasBehind
        = frame.behind != nullptr && frame.behind->states.size() == lane.states.size();
    const LaneState* behind = hasBehind ? &frame.behind->states[row] : nullptr;
    const auto& columns = frame.map->columns;
    const Rect& area = frame.map->area;
    const double step = area.width / static_cast<double>(std::max<std::size_t>(columns.size(), 1));
    const Color full = legibleOn(metricColor(lane.spec.metric), frame.scene.background);
    for (std::size_t i = 0; i < columns.size();) {
        const int shade = shadeOf(columns[i], state, behind);
        std::size_t end = i + 1;
        while (end < columns.size() && shadeOf(columns[end], state, behind) == shade)
            ++end;
        const double share = static_cast<double>(shade) / kStateShades;
        if (shade > 0)
            frame.fill({area.x + step * static_cast<double>(i), strip.y,
                           step * static_cast<double>(end - i), strip.height},
                blend(frame.scene.background, full,
                    kFaintestState + (1.0 - kFaintestState) * std::min(share, 1.0)));
        i = end;
    }
}

} // namespace

LaneGeometry drawStates(const LaneFrame& frame, const LaneData& lane) {
    drawHoles(frame, lane);
    const auto count = static_cast<double>(lane.states.size());
    const double top = frame.area.y;
    const double filling = frame.area.height / count;
    const double each = frame.style.sharesHeight
        ? filling
        : std::min(filling, kTallestState * frame.size(TextRole::Small));
    const double gap = each > 0.5 * frame.size() ? 0.5 * frame.gap() : 0.0;
    // Names stand below the lane's own where there is room, else the lane's own is all.
    const double left = frame.lane.x + 3.0 * frame.gap();
    const double room = kStateNames * (frame.area.x - left);
    const bool areNamed = each >= 0.9 * frame.size();
    const bool severalRuns = seriesColors(lane).byRun;
    double reserved = 0.0;
    for (std::size_t row = 0; row < lane.states.size(); ++row) {
        const Rect strip{
            frame.area.x, top + each * static_cast<double>(row), frame.area.width, each - gap};
        frame.fill(strip, frame.theme.raised);
        drawState(frame, lane, row, strip);
        if (severalRuns)
            drawRunMark(frame, lane.states[row].run, strip.y, strip.height);
        if (!areNamed)
            continue;
        const std::string name = frame.fitted(lane.states[row].name, room);
        frame.note({frame.area.x - 1.5 * frame.gap(), frame.centred(strip)}, name, Align::Right);
        reserved = std::max(reserved, frame.width(name) + 1.5 * frame.gap());
    }
    drawName(frame, lane, reserved);
    return {frame.area, lane.low, lane.high, {}};
}

} // namespace trainscope::plot
