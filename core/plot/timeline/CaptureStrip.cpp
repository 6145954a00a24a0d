#include "core/plot/timeline/LaneFrame.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace trainscope::plot {

namespace {

constexpr double kThinnestCapture = 2.0; // units, so that half a second of an hour is seen

double captureRow(const Theme& theme) {
    return 1.5 * theme.size(TextRole::Small);
}

// Named stretches of one run, one after the other.
struct StretchStrip {
    std::size_t run = 0;
    bool isPhases = false;
    std::vector<NamedPhase> stretches;
};

std::vector<StretchStrip> stripsOf(const TimelineData& data) {
    std::vector<StretchStrip> strips;
    for (std::size_t i = 0; i < data.phases.size(); ++i) {
        if (!data.phases[i].empty())
            strips.push_back({i, true, data.phases[i]});
    }
    for (std::size_t i = 0; i < data.captures.size(); ++i) {
        StretchStrip strip{i, false, {}};
        for (const Capture& capture : data.captures[i])
            strip.stretches.push_back({capture.name, capture.range});
        if (!strip.stretches.empty())
            strips.push_back(std::move(strip));
    }
    std::stable_sort(strips.begin(), strips.end(),
        [](const StretchStrip& a, const StretchStrip& b) { return a.run < b.run; });
    std::set<std::size_t> runs;
    std::erase_if(strips, [&runs](const StretchStrip& strip) {
        runs.insert(strip.run);
        return runs.size() > kMostStrips;
    });
    return strips;
}

// Its name beside it, as far as the next one leaves room.
void nameStretch(const LaneFrame& frame, const std::string& name, const Rect& cell, double room) {
    const double pad = frame.gap();
    const double y = frame.centred(cell.y + cell.height / 2.0);
    if (frame.width(name) + 2.0 * pad <= cell.width)
        frame.note({cell.x + pad, y}, name);
    else if (frame.width(name) + 2.0 * pad <= room)
        frame.note({cell.right() + pad, y}, name);
}

void drawStretches(const LaneFrame& frame, const StretchStrip& strip, double top,
    std::vector<CapturePlace>& places) {
    const TimeNs origin = frame.data.runs[strip.run].origin;
    const double height = captureRow(frame.theme) - 0.5 * frame.gap();
    const std::size_t first = places.size();
    for (std::size_t i = 0; i < strip.stretches.size(); ++i) {
        const TimeRange& range = strip.stretches[i].range;
        const double from = std::max(frame.scale.toX(range.begin - origin), frame.scale.x);
        const double to = std::min(frame.scale.toX(range.end - origin), frame.scale.right());
        if (to < frame.scale.x || from > frame.scale.right())
            continue;
        const double width
            = std::min(std::max(to - from, kThinnestCapture), frame.scale.right() - from);
        places.push_back({{from, top, width, height}, strip.run, i, strip.isPhases});
        // Phases follow each other without a gap.
        const std::uint8_t alpha = strip.isPhases && i % 2 == 1 ? 50 : 90;
        frame.fill(places.back().rect, withAlpha(frame.theme.accent, alpha));
    }
    for (std::size_t i = first; i < places.size(); ++i) {
        const Rect& cell = places[i].rect;
        const double next = i + 1 < places.size() ? places[i + 1].rect.x : frame.scale.right();
        nameStretch(frame, strip.stretches[places[i].capture].name, cell, next - cell.right());
    }
    if (frame.data.runs.size() > 1)
        drawRunMark(frame, strip.run, top, height);
    frame.note({frame.scale.x - 1.5 * frame.gap(), frame.centred(top + height / 2.0)},
        strip.isPhases ? "phases" : "captures", Align::Right);
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
    return static_cast<double>(stripsOf(data).size()) * captureRow(theme);
}

std::vector<CapturePlace> drawCaptureStrips(const LaneFrame& frame, double top) {
    std::vector<CapturePlace> places;
    for (const StretchStrip& strip : stripsOf(frame.data)) {
        drawStretches(frame, strip, top, places);
        top += captureRow(frame.theme);
    }
    return places;
}

const CapturePlace* captureAt(const TimelineGeometry& geometry, Point point) {
    constexpr double kBesideCapture = 3.0;
    const CapturePlace* beside = nullptr;
    for (const CapturePlace& place : geometry.captures) {
        const Rect& rect = place.rect;
        if (point.y < rect.y || point.y >= rect.bottom() || point.x < rect.x - kBesideCapture
            || point.x >= rect.right() + kBesideCapture)
            continue;
        if (point.x >= rect.x && point.x < rect.right())
            return &place;
        beside = beside == nullptr ? &place : beside;
    }
    return beside;
}

} // namespace trainscope::plot
