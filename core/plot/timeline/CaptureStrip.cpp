#include "core/plot/timeline/LaneFrame.h"

#include <set>

namespace trainscope::plot {

namespace {

constexpr double kThinnestCapture = 2.0; // units, so that half a second of an hour is seen

double captureRow(const Theme& theme) {
    return 1.5 * theme.size(TextRole::Small);
}

std::vector<StretchStrip> stripsOf(const TimelineData& data) {
    std::vector<StretchStrip> strips;
    for (std::size_t i = 0; i < data.phases.size(); ++i) {
        if (!data.phases[i].empty())
            strips.push_back({{}, i, StretchKind::Phase});
    }
    for (std::size_t i = 0; i < data.captures.size(); ++i) {
        if (!data.captures[i].empty())
            strips.push_back({{}, i, StretchKind::Capture});
    }
    std::ranges::stable_sort(strips, {}, &StretchStrip::run);
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

void drawStretches(const LaneFrame& frame, TimelineGeometry& geometry) {
    const StretchStrip& strip = geometry.strips.back();
    std::vector<StretchPlace>& places = geometry.stretches;
    const bool isPhases = strip.kind == StretchKind::Phase;
    const TimeNs origin = frame.data.runs[strip.run].origin;
    const double top = strip.rect.y;
    const double height = strip.rect.height;
    const std::size_t first = places.size();
    const std::size_t count = stretchCount(frame.data, nullptr, strip);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
        auto [name, range] = stretchAt(frame.data, nullptr, strip, i);
        const double from = std::max(frame.scale.toX(range.begin - origin), frame.scale.x);
        const double to = std::min(frame.scale.toX(range.end - origin), frame.scale.right());
        if (to < frame.scale.x || from > frame.scale.right())
            continue;
        const double width
            = std::min(std::max(to - from, kThinnestCapture), frame.scale.right() - from);
        places.push_back({{from, top, width, height}, geometry.strips.size() - 1, i});
        names.push_back(std::move(name));
        // Phases follow each other without a gap.
        const std::uint8_t alpha = isPhases && i % 2 == 1 ? 50 : 90;
        frame.fill(places.back().rect, withAlpha(frame.theme.accent, alpha));
    }
    for (std::size_t i = first; i < places.size(); ++i) {
        const Rect& cell = places[i].rect;
        const double next = i + 1 < places.size() ? places[i + 1].rect.x : frame.scale.right();
        nameStretch(frame, names[i - first], cell, next - cell.right());
    }
    if (frame.data.runs.size() > 1)
        drawRunMark(frame, strip.run, top, height);
    frame.note({frame.scale.x - 1.5 * frame.gap(), frame.centred(top + height / 2.0)},
        isPhases ? "phases" : "captures", Align::Right);
}

} // namespace

const std::vector<Iteration>& shownIterations(
    const TimelineData& data, const std::vector<RunOverlay>* overlays, std::size_t run) {
    const bool found
        = data.iterations[run].empty() && overlays != nullptr && run < overlays->size();
    return found ? (*overlays)[run].iterations : data.iterations[run];
}

std::size_t stretchCount(
    const TimelineData& data, const std::vector<RunOverlay>* overlays, const StretchStrip& strip) {
    switch (strip.kind) {
    case StretchKind::Phase:
        return strip.run < data.phases.size() ? data.phases[strip.run].size() : 0;
    case StretchKind::Capture:
        return strip.run < data.captures.size() ? data.captures[strip.run].size() : 0;
    case StretchKind::Throttle:
        return overlays != nullptr && strip.run < overlays->size()
            ? (*overlays)[strip.run].throttles.size()
            : 0;
    case StretchKind::Iteration:
        break;
    }
    return strip.run < data.iterations.size() ? shownIterations(data, overlays, strip.run).size()
                                              : 0;
}

NamedPhase stretchAt(const TimelineData& data, const std::vector<RunOverlay>* overlays,
    const StretchStrip& strip, std::size_t item) {
    if (strip.kind == StretchKind::Phase)
        return data.phases[strip.run][item];
    if (strip.kind == StretchKind::Capture)
        return {data.captures[strip.run][item].name, data.captures[strip.run][item].range};
    if (strip.kind == StretchKind::Throttle) {
        const ThrottleMark& mark = (*overlays)[strip.run].throttles[item];
        return {std::to_string(mark.rank), mark.range};
    }
    const Iteration& iteration = shownIterations(data, overlays, strip.run)[item];
    return {std::to_string(iteration.index), iteration.range};
}

double captureStripsHeight(const TimelineData& data, const Theme& theme) {
    return static_cast<double>(stripsOf(data).size()) * captureRow(theme);
}

void drawCaptureStrips(const LaneFrame& frame, double top, TimelineGeometry& geometry) {
    for (StretchStrip strip : stripsOf(frame.data)) {
        strip.rect
            = {frame.scale.x, top, frame.scale.width, captureRow(frame.theme) - 0.5 * frame.gap()};
        geometry.strips.push_back(strip);
        drawStretches(frame, geometry);
        top += captureRow(frame.theme);
    }
}

const StretchPlace* stretchUnder(const TimelineGeometry& geometry, Point point) {
    constexpr double kBesideStretch = 3.0;
    const StretchPlace* beside = nullptr;
    const StretchPlace* under = nullptr;
    for (const StretchPlace& place : geometry.stretches) {
        const Rect& rect = place.rect;
        if (point.y < rect.y || point.y >= rect.bottom() || point.x < rect.x - kBesideStretch
            || point.x >= rect.right() + kBesideStretch)
            continue;
        const bool isIn = point.x >= rect.x && point.x < rect.right();
        const auto narrower = [&rect](const StretchPlace* other) {
            return other == nullptr || rect.width < other->rect.width;
        };
        if (isIn && narrower(under))
            under = &place; // episodes of several GPUs overlap
        beside = beside == nullptr ? &place : beside;
    }
    return under != nullptr ? under : beside;
}

} // namespace trainscope::plot
