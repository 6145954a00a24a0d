// The fixed column on the left: names and value axes.

#include "core/plot/LaneFrame.h"
#include "core/plot/Ticks.h"

#include <algorithm>

namespace trainscope::plot {

double drawName(const LaneFrame& frame, const LaneData& lane, double reserved) {
    const double left = frame.lane.x + 3.0 * frame.theme.spacing;
    const double room = frame.area.x - left - reserved - 2.0 * frame.theme.spacing;
    const double bottom = frame.lane.bottom() - frame.theme.spacing;
    double y = frame.area.y + 0.8 * frame.theme.size(TextRole::Body);
    const auto write
        = [&](const std::string& text, TextRole role, Color color, int most, bool bold) {
              for (auto& line : wrapped(text, room, most, frame.style.measure, role, bold)) {
                  if (y > bottom)
                      return;
                  frame.text({left, y}, std::move(line), color, role, Align::Left, bold);
                  y += frame.lineHeight(role);
              }
          };
    write(lane.title, TextRole::Body, frame.theme.text, 2, true);
    write(lane.subtitle, TextRole::Secondary, frame.theme.textSecondary, 4, false);
    return y;
}

void drawValueAxis(const LaneFrame& frame, const LaneData& lane) {
    const double size = frame.theme.size(TextRole::Small);
    const int most = std::clamp(static_cast<int>(frame.area.height / (2.2 * size)) + 1, 2, 6);
    const auto ticks = valueTicks(lane.low, lane.high, lane.displayScale, most);
    const double gap = 1.5 * frame.theme.spacing;
    double widest = 0.0;
    for (const auto& tick : ticks) {
        const double fraction = (tick.value - lane.low) / (lane.high - lane.low);
        const double y = frame.area.bottom() - fraction * frame.area.height;
        frame.line({frame.area.x, y}, {frame.area.right(), y}, frame.theme.grid);
        frame.text({frame.area.x - gap, frame.baseline(y, TextRole::Small)}, tick.label,
            frame.theme.textSecondary, TextRole::Small, Align::Right);
        widest = std::max(widest, frame.width(tick.label, TextRole::Small));
    }
    drawName(frame, lane, widest + gap);
}

} // namespace trainscope::plot
