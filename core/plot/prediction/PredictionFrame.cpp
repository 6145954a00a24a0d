#include "core/plot/prediction/PredictionFrame.h"

#include "core/plot/Palette.h"

namespace trainscope::plot {

namespace {

// Look of a part: a category of kernels, lightened.
struct PartLook {
    std::string_view part;
    std::string_view category;
    double light = 0.0;
    bool isHatched = false;
};
constexpr std::array kPartLooks{
    PartLook{"gemm", "gemm"},
    PartLook{"attention", "attention"},
    PartLook{"elementwise", "elementwise"},
    PartLook{"loss", "gemm", 0.35},
    PartLook{"embedding", "normalisation"},
    PartLook{"recompute", "gemm", 0.6, true},
    PartLook{"tensor_parallel", "all_reduce"},
    PartLook{"context_parallel", "all_gather"},
    PartLook{"expert_parallel", "all_to_all"},
    PartLook{"sharding", "broadcast"},
    PartLook{"data_parallel", "communication"},
    PartLook{"optimizer", "optimizer"},
    PartLook{"gap", "idle", 0.0, true},
    PartLook{"bubble", "idle"},
    PartLook{"jitter", "other", 0.0, true},
    PartLook{"weights", "gemm"},
    PartLook{"gradients", "attention"},
    PartLook{"activations", "all_reduce"},
    PartLook{"logits", "send_recv"},
    PartLook{"buffers", "elementwise"},
};

const PartLook* lookOfPart(std::string_view part) {
    const auto found = std::ranges::find(kPartLooks, part, &PartLook::part);
    return found == kPartLooks.end() ? nullptr : &*found;
}

} // namespace

void PredictionFrame::target(Rect rect, std::string title, Facts facts) const {
    Sheet::target(rect, {}, [title = std::move(title), facts = std::move(facts)](Hit& hit) {
        hit.title = title;
        hit.facts = facts;
    });
}

void PredictionFrame::whisker(
    const predict::Interval& bounds, const FigureAxis& axis, Rect row) const {
    const double y = row.y + row.height / 2.0;
    const double cap = 0.2 * row.height;
    const double from = row.x + row.width * fractionOf(axis, bounds.low);
    const double to = row.x + row.width * fractionOf(axis, bounds.high);
    const double ink = 1.5 * theme.lineWidth;
    // Light below dark, so that it is seen over any part.
    line({from, y}, {to, y}, theme.panel, 3.0 * ink);
    line({from, y}, {to, y}, theme.text, ink);
    for (const double x : {from, to})
        line({x, y - cap}, {x, y + cap}, theme.text, ink);
}

Color PredictionFrame::fillOf(std::string_view part) const {
    const PartLook* look = lookOfPart(part);
    if (look == nullptr)
        return categoryColor(part);
    const bool isIdle = look->category == "idle";
    if (isIdle && theme.dark)
        return blend(theme.panel, theme.text, 0.18);
    return blend(categoryColor(look->category), theme.panel, look->light);
}

bool PredictionFrame::isHatched(std::string_view part) {
    const PartLook* look = lookOfPart(part);
    return look != nullptr && look->isHatched;
}

void PredictionFrame::drawSwatch(Rect rect, std::string_view part) const {
    fill(rect, fillOf(part));
    if (isHatched(part))
        hatch(rect, theme.textMuted);
}

std::string unbroken(std::string words) {
    for (std::size_t at = words.find(' '); at != std::string::npos; at = words.find(' ', at))
        words.replace(at, 1, "\u00a0");
    return words;
}

void drawParts(const PredictionFrame& frame, const FigureAxis& axis, Rect row,
    const std::string& name, const std::vector<PredictedPart>& parts,
    const std::optional<predict::Interval>& whisker) {
    double from = 0.0;
    double total = 0.0;
    for (const auto& part : parts)
        total += part.value;
    const auto isCrossed = [&](double left, double right) {
        return whisker && right > row.x + row.width * fractionOf(axis, whisker->low)
            && left < row.x + row.width * fractionOf(axis, whisker->high);
    };
    for (const auto& part : parts) {
        const double left = row.x + row.width * fractionOf(axis, from);
        const double right = row.x + row.width * fractionOf(axis, from + part.value);
        from += part.value;
        if (!(right > left))
            continue;
        // A hair's breadth keeps neighbours apart.
        const double hair
            = right - left > 4.0 * frame.theme.lineWidth ? frame.theme.lineWidth : 0.0;
        const Rect rect{left, row.y, right - left - hair, row.height};
        frame.drawSwatch(rect, part.key);
        const Color fill = frame.fillOf(part.key);
        const std::string text = text::quantity(part.value, axis.siUnit, text::Digits::Three);
        const double middle = rect.x + rect.width / 2.0;
        const double half = frame.width(text) / 2.0 + frame.gap();
        const bool fits = rect.height > 1.6 * frame.size() && !PredictionFrame::isHatched(part.key)
            && 2.0 * half < rect.width && !isCrossed(middle - half, middle + half);
        if (fits)
            frame.text({middle, frame.centred(rect)}, text, readableOn(fill), TextRole::Small,
                Align::Centre);
        frame.target({left, row.y, right - left, row.height}, name + " · " + part.title,
            {{part.title, text}, {"Share", text::percent(total > 0.0 ? part.value / total : 0.0)}});
    }
}

double drawPartLegend(const PredictionFrame& frame,
    const std::vector<std::vector<PredictedPart>>& rows, Point at, double width, bool draw) {
    const double size = frame.size();
    const double swatch = 0.8 * size;
    LegendFlow flow(frame,
        {swatch, frame.gap(), 1.2 * size, 1.5 * size, 0.5 * size, frame.theme.text}, at, width,
        draw);
    std::set<std::string> known;
    for (const auto& row : rows) {
        for (const auto& part : row) {
            if (!(part.value > 0.0) || !known.insert(part.key).second)
                continue;
            flow.add(part.title, [&](Point left) {
                frame.drawSwatch({left.x, left.y - swatch / 2.0, swatch, swatch}, part.key);
            });
        }
    }
    return flow.height();
}

} // namespace trainscope::plot
