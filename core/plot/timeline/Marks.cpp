// Marks of the user over the lanes, with flags in as many rows as keep them apart: above the time
// axis in figures, over the foot of the head on the screen, which has no room of its own for them.

#include "core/plot/timeline/LaneFrame.h"

namespace trainscope::plot {

namespace {

constexpr std::size_t kMostRows = 8; // a mark whose flag finds no room has its lines alone
constexpr std::size_t kMostOverHead = 3;
constexpr std::uint8_t kFlagAlpha = 70;

double flagRow(const Theme& theme) {
    return 1.7 * theme.size(TextRole::Small);
}

} // namespace

std::optional<ViewWindow> windowOf(const std::vector<ShownRun>& runs, const TimelineMark& mark) {
    const auto run = std::ranges::find(runs, mark.run, &ShownRun::name);
    if (run == runs.end())
        return std::nullopt;
    return ViewWindow{mark.range.begin - run->origin, mark.range.end - run->origin};
}

std::vector<PlacedMark> placeMarks(const LaneFrame& frame) {
    std::vector<PlacedMark> placed;
    const ViewWindow& window = frame.scale.window;
    for (std::size_t i = 0; i < frame.style.marks.size(); ++i) {
        const auto at = windowOf(frame.data.runs, frame.style.marks[i]);
        if (at && at->begin <= window.end && window.begin <= at->end)
            placed.push_back({*at, i, {}});
    }
    std::ranges::stable_sort(placed, {}, &PlacedMark::stretch);
    const std::size_t rows = frame.style.sharesHeight ? kMostOverHead : kMostRows;
    std::vector<double> free(rows, frame.scale.x); // from there on each row is
    for (PlacedMark& mark : placed) {
        const double width
            = std::min(frame.width(frame.style.marks[mark.mark].label), 0.3 * frame.scale.width)
            + 2.0 * frame.gap();
        const double x = std::clamp(frame.scale.toX(mark.stretch.begin), frame.scale.x,
            std::max(frame.scale.x, frame.scale.right() - width));
        const auto row = std::ranges::find_if(free, [x](double begin) { return begin <= x; });
        if (row == free.end())
            continue;
        *row = x + width + 0.5 * frame.gap();
        const double height = flagRow(frame.theme);
        mark.flag = {x, -height * static_cast<double>(row - free.begin() + 1), width,
            height - 0.5 * frame.gap()};
    }
    return placed;
}

double flagsHeight(const LaneFrame& frame, const std::vector<PlacedMark>& marks) {
    double height = 0.0;
    for (const PlacedMark& mark : marks)
        height = std::max(height, -mark.flag.y);
    return frame.style.sharesHeight ? 0.0 : height;
}

void drawMarkLines(
    const LaneFrame& frame, const std::vector<PlacedMark>& marks, double top, double bottom) {
    const ViewWindow& window = frame.scale.window;
    for (const PlacedMark& mark : marks) {
        for (const DurationNs at : {mark.stretch.begin, mark.stretch.end}) {
            const double x = frame.scale.toX(at);
            if (window.begin <= at && at <= window.end)
                frame.line({x, top}, {x, bottom}, frame.theme.warning);
        }
        const double from = std::max(frame.scale.toX(mark.stretch.begin), frame.scale.x);
        const double to = std::min(frame.scale.toX(mark.stretch.end), frame.scale.right());
        frame.fill({from, top, to - from, 2.0 * frame.theme.lineWidth}, frame.theme.warning);
    }
}

void drawFlags(const LaneFrame& frame, const std::vector<PlacedMark>& marks, double foot,
    double lanesTop, TimelineGeometry& geometry) {
    for (const PlacedMark& mark : marks) {
        if (mark.flag.width <= 0.0)
            continue;
        Rect flag = mark.flag;
        flag.y += foot;
        const double x = frame.scale.toX(mark.stretch.begin);
        if (x >= frame.scale.x)
            frame.line({x, flag.bottom()}, {x, lanesTop}, frame.theme.warning);
        frame.fill(flag, frame.scene.background);
        frame.fill(flag, withAlpha(frame.theme.warning, kFlagAlpha));
        frame.text({flag.x + frame.gap(), frame.centred(flag.y + flag.height / 2.0)},
            frame.fitted(frame.style.marks[mark.mark].label, flag.width - 2.0 * frame.gap() + 0.1),
            frame.theme.text, TextRole::Small);
        geometry.flags.emplace_back(mark.mark, flag);
    }
}

} // namespace trainscope::plot
