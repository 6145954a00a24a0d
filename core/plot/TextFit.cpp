#include "core/plot/TextFit.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>

namespace trainscope::plot {
namespace {

// Offsets at which UTF-8 text may be cut.
std::vector<std::size_t> boundaries(std::string_view text) {
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (startsCharacter(text[i]))
            offsets.push_back(i);
    }
    offsets.push_back(text.size());
    return offsets;
}

constexpr std::array<std::string_view, 33> kUnitWords{"×", "%", "pp", "s", "ms", "µs", "ns", "min",
    "h", "d", "mJ", "J", "kJ", "MJ", "GJ", "W", "kW", "MW", "kWh", "MWh", "GWh", "°C", "Hz", "MHz",
    "GHz", "B", "kB", "MB", "GB", "GiB", "Gb/s", "GB/s", "TB/s"};

// The blank between a number and its unit.
bool bindsUnit(std::string_view text, std::size_t blank) {
    const std::string_view behind = text.substr(blank + 1);
    return blank > 0 && text[blank - 1] >= '0' && text[blank - 1] <= '9'
        && isUnitWord(behind.substr(0, behind.find(' ')));
}

std::size_t nextBreak(std::string_view text, std::size_t from) {
    std::size_t blank = text.find(' ', from);
    while (blank != std::string_view::npos && bindsUnit(text, blank))
        blank = text.find(' ', blank + 1);
    return blank;
}

// The end of the longest run of words that fits, at least one word.
std::size_t lineEnd(
    std::string_view text, double width, const MeasureText& measure, TextRole role, bool bold) {
    std::size_t end = nextBreak(text, 0);
    if (measure(text.substr(0, end), role, bold) > width)
        return std::min(text.find(' '), text.size());
    while (end != std::string_view::npos) {
        const std::size_t next = nextBreak(text, end + 1);
        if (measure(text.substr(0, next), role, bold) > width)
            return end;
        end = next;
    }
    return text.size();
}

bool isApart(const Rect& one, const Rect& other) {
    return one.right() <= other.x || other.right() <= one.x || one.bottom() <= other.y
        || other.bottom() <= one.y;
}

Rect grown(const Rect& rect, double by) {
    return {rect.x - by, rect.y - by, rect.width + 2.0 * by, rect.height + 2.0 * by};
}

// Narrows [enter, leave] of a line to where it lies between two bounds.
bool narrow(double from, double step, double low, double high, double& enter, double& leave) {
    if (step == 0.0)
        return from > low && from < high;
    const double one = (low - from) / step;
    const double other = (high - from) / step;
    enter = std::max(enter, std::min(one, other));
    leave = std::min(leave, std::max(one, other));
    return enter < leave;
}

// True where the slant meets the rectangle; a little early at its corners.
bool meets(const Slant& slant, const Rect& rect) {
    const Rect room = grown(rect, slant.thickness / 2.0);
    double enter = 0.0;
    double leave = 1.0;
    return narrow(slant.from.x, slant.to.x - slant.from.x, room.x, room.right(), enter, leave)
        && narrow(slant.from.y, slant.to.y - slant.from.y, room.y, room.bottom(), enter, leave);
}

} // namespace

bool isUnitWord(std::string_view word) {
    const std::string_view bare = word.substr(0, word.find_last_not_of(".,;:)") + 1);
    return std::ranges::find(kUnitWords, bare) != kUnitWords.end();
}

std::string elided(
    std::string_view text, double width, const MeasureText& measure, TextRole role, bool bold) {
    if (text.empty() || measure(text, role, bold) <= width)
        return std::string(text);
    static constexpr std::string_view kEllipsis = "…";
    const auto cuts = boundaries(text);
    std::size_t low = 0;
    std::size_t high = cuts.size() - 1;
    const double room = width - measure(kEllipsis, role, bold);
    while (low < high) {
        const std::size_t middle = (low + high + 1) / 2;
        if (measure(text.substr(0, cuts[middle]), role, bold) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    if (low < 2)
        return {};
    return std::string(text.substr(0, cuts[low])) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view text, double width, int most,
    const MeasureText& measure, TextRole role, bool bold) {
    std::vector<std::string> lines;
    while (!text.empty() && static_cast<int>(lines.size()) < most) {
        const bool last = static_cast<int>(lines.size()) + 1 == most;
        const std::size_t end = last ? text.size() : lineEnd(text, width, measure, role, bold);
        lines.push_back(elided(text.substr(0, end), width, measure, role, bold));
        text.remove_prefix(end);
        while (text.starts_with(' '))
            text.remove_prefix(1);
    }
    return lines;
}

std::vector<std::string> brokenAnywhere(
    std::string_view text, double width, int most, const MeasureText& measure) {
    const auto widthOf
        = [&measure](std::string_view part) { return measure(part, TextRole::Small, false); };
    std::vector<std::string> lines;
    while (static_cast<int>(lines.size()) + 1 < most && widthOf(text) > width) {
        std::size_t end = 1;
        for (std::size_t i = 1; i < text.size(); ++i) {
            if (!startsCharacter(text[i]))
                continue;
            if (widthOf(text.substr(0, i)) > width)
                break;
            end = i;
        }
        const std::size_t nice = text.substr(0, end).find_last_of(" ,;/_-");
        if (nice != std::string_view::npos && 2 * (nice + 1) > end)
            end = nice + 1;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    lines.push_back(elided(text, width, measure, TextRole::Small));
    return lines;
}

std::string_view shortKernelName(std::string_view name) {
    static constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    const std::string_view whole = name;
    if (name.starts_with("void "))
        name.remove_prefix(5);
    std::size_t from = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name.substr(i).starts_with(kAnonymous)) {
            i += kAnonymous.size() - 1;
            from = i + 1;
        } else if (name.substr(i).starts_with("::")) {
            from = ++i + 1;
        } else if (name[i] == '<' || name[i] == '(') {
            name = name.substr(0, i);
            break;
        }
    }
    if (from >= name.size())
        return whole;
    return name.substr(from);
}

bool LabelRoom::isFree(const Rect& rect) const {
    const bool isInside = rect.x >= m_area.x && rect.right() <= m_area.right() && rect.y >= m_area.y
        && rect.bottom() <= m_area.bottom();
    return isInside
        && std::ranges::all_of(m_rects, [&rect](const Rect& taken) { return isApart(rect, taken); })
        && std::ranges::none_of(
            m_slants, [&rect](const Slant& taken) { return meets(taken, rect); });
}

bool LabelRoom::isFree(const Slant& slant) const {
    const Rect room = grown(m_area, -slant.thickness / 2.0);
    const auto isInside = [&room](const Point& at) {
        return at.x >= room.x && at.x <= room.right() && at.y >= room.y && at.y <= room.bottom();
    };
    return isInside(slant.from) && isInside(slant.to)
        && std::ranges::none_of(
            m_rects, [&slant](const Rect& taken) { return meets(slant, taken); });
}

} // namespace trainscope::plot
