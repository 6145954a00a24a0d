#include "core/plot/timeline/LaneFrame.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kThinnest = 2.0; // units, so that half a second of an hour is seen

double captureRow(const Theme& theme) {
    return 1.5 * theme.size(TextRole::Small);
}

std::vector<std::size_t> capturedRuns(const TimelineData& data) {
    std::vector<std::size_t> runs;
    for (std::size_t i = 0; i < data.captures.size() && runs.size() < kMostStrips; ++i) {
        if (!data.captures[i].empty())
            runs.push_back(i);
    }
    return runs;
}

// Its name beside it, as far as the next one leaves room.
void nameCapture(const LaneFrame& frame, const Capture& capture, const Rect& cell, double room) {
    const double pad = frame.gap();
    const double y = frame.centred(cell.y + cell.height / 2.0);
    if (frame.width(capture.name) + 2.0 * pad <= cell.width)
        frame.note({cell.x + pad, y}, capture.name);
    else if (frame.width(capture.name) + 2.0 * pad <= room)
        frame.note({cell.right() + pad, y}, capture.name);
}

void drawCaptures(
    const LaneFrame& frame, std::size_t run, double top, std::vector<CapturePlace>& places) {
    const TimeNs origin = frame.data.runs[run].origin;
    const double height = captureRow(frame.theme) - 0.5 * frame.gap();
    const auto& captures = frame.data.captures[run];
    const std::size_t first = places.size();
    for (std::size_t i = 0; i < captures.size(); ++i) {
        const double from
            = std::max(frame.scale.toX(captures[i].range.begin - origin), frame.scale.x);
        const double to
            = std::min(frame.scale.toX(captures[i].range.end - origin), frame.scale.right());
        if (to < frame.scale.x || from > frame.scale.right())
            continue;
        const double width = std::min(std::max(to - from, kThinnest), frame.scale.right() - from);
        places.push_back({{from, top, width, height}, run, i});
        frame.fill(places.back().rect, withAlpha(frame.theme.accent, 90));
    }
    for (std::size_t i = first; i < places.size(); ++i) {
        const Rect& cell = places[i].rect;
        const double next = i + 1 < places.size() ? places[i + 1].rect.x : frame.scale.right();
        nameCapture(frame, captures[places[i].capture], cell, next - cell.right());
    }
    if (frame.data.runs.size() > 1)
        drawRunMark(frame, run, top, height);
    frame.note({frame.scale.x - 1.5 * frame.gap(), frame.centred(top + height / 2.0)}, "captures",
        Align::Right);
}

} // namespace

std::vector<Capture> capturesByName(std::vector<Capture> captures) {
    std::stable_sort(captures.begin(), captures.end(),
        [](const Capture& a, const Capture& b) { return a.name < b.name; });
    std::vector<Capture> merged;
    for (Capture& capture : captures) {
        if (merged.empty() || merged.back().name != capture.name) {
            merged.push_back(std::move(capture));
            continue;
        }
        TimeRange& range = merged.back().range;
        range
            = {std::min(range.begin, capture.range.begin), std::max(range.end, capture.range.end)};
    }
    std::stable_sort(merged.begin(), merged.end(),
        [](const Capture& a, const Capture& b) { return a.range.begin < b.range.begin; });
    return merged;
}

double captureStripsHeight(const TimelineData& data, const Theme& theme) {
    return static_cast<double>(capturedRuns(data).size()) * captureRow(theme);
}

std::vector<CapturePlace> drawCaptureStrips(const LaneFrame& frame, double top) {
    std::vector<CapturePlace> places;
    for (const std::size_t run : capturedRuns(frame.data)) {
        drawCaptures(frame, run, top, places);
        top += captureRow(frame.theme);
    }
    return places;
}

const CapturePlace* captureAt(const TimelineGeometry& geometry, Point point) {
    constexpr double kReach = 3.0;
    for (const CapturePlace& place : geometry.captures) {
        if (point.y >= place.rect.y && point.y < place.rect.bottom()
            && point.x >= place.rect.x - kReach && point.x < place.rect.right() + kReach)
            return &place;
    }
    return nullptr;
}

} // namespace trainscope::plot
