#include "core/plot/replay/StepBars.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/plot/Palette.h"
#include "core/text/Times.h"

namespace trainscope::plot {

namespace {

constexpr double kStepNames = 0.4; // shares of the width, at most
constexpr double kStepWords = 0.5;
constexpr double kHighestBar = 3.0; // times the text, with the room between bars

std::string textBehind(const StepBar& bar) {
    const std::string length = text::seconds(bar.seconds);
    return bar.words.empty() ? length : length + "  " + bar.words;
}

void tellStep(const StepBar& bar, Hit& hit) {
    hit.title = bar.name;
    hit.facts.emplace_back("in a step", text::seconds(bar.seconds));
    if (bar.interval)
        hit.facts.emplace_back("nine of ten lie within",
            text::seconds(bar.interval->first) + " to " + text::seconds(bar.interval->second));
    if (!bar.words.empty())
        hit.facts.emplace_back("", bar.words);
}

template <typename Of>
double widest(const std::vector<StepBar>& bars, double most, const Of& of) {
    double width = 0.0;
    for (const StepBar& bar : bars)
        width = std::max(width, of(bar));
    return std::min(width, most);
}

} // namespace

Color stepColor(const Theme& theme, std::string_view category) {
    if (category == "delay")
        return theme.textMuted;
    return category == "host" ? spanKindColor(SpanKind::Runtime) : categoryColor(category);
}

std::string stepTitle(std::string_view category) {
    if (category == "host")
        return "Host";
    return category == "delay" ? "Delay"
        : category == "copy"   ? "Copy"
                               : std::string(analysis::KernelCategories::label(category));
}

double stepBarsHeight(const Canvas& canvas, std::size_t bars) {
    return 2.0 * canvas.size() * static_cast<double>(bars);
}

void drawStepBars(const Sheet& sheet, RunId run, const std::vector<StepBar>& bars, Rect area) {
    const double names = widest(
        bars, kStepNames * area.width, [&](const StepBar& bar) { return sheet.width(bar.name); });
    const double words = widest(bars, kStepWords * area.width,
        [&](const StepBar& bar) { return sheet.width(textBehind(bar)); });
    const double longest = widest(bars, 1e300, [](const StepBar& bar) {
        return bar.interval ? std::max(bar.seconds, bar.interval->second) : bar.seconds;
    });
    const double left = area.x + names + 2.0 * sheet.gap();
    const double room = std::max(area.right() - left - words - 2.0 * sheet.gap(), 1.0);
    const double scale = longest > 0.0 ? room / longest : 0.0;
    const double height
        = std::min(area.height / static_cast<double>(std::max<std::size_t>(bars.size(), 1)),
            kHighestBar * sheet.size());
    sheet.picture.areas.push_back({left, area.y, room, area.height});
    double y = area.y;
    for (const StepBar& bar : bars) {
        const Rect row{area.x, y, area.width, height};
        const double middle = sheet.centred(row);
        double end = left + std::max(scale * bar.seconds, 1.0);
        sheet.fill({left, y + 0.18 * height, end - left, 0.64 * height}, bar.color);
        if (bar.interval) {
            const double low = left + scale * bar.interval->first;
            const double high = left + scale * bar.interval->second;
            sheet.line({low, y + height / 2.0}, {high, y + height / 2.0}, sheet.theme.text);
            end = std::max(end, high);
        }
        sheet.text({area.x, middle}, sheet.fitted(bar.name, names), sheet.theme.text);
        sheet.note({end + sheet.gap(), middle},
            sheet.fitted(textBehind(bar), area.right() - end - sheet.gap()));
        sheet.target(
            row, Shown{run, bar.rank, {}, {}, false}, [bar](Hit& hit) { tellStep(bar, hit); });
        y += height;
    }
}

} // namespace trainscope::plot
