// The verdict: who is compared, the headline, and its reasons with their numbers in bold.
#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"

namespace trainscope::plot {

namespace {

constexpr double kNarrow = 46.0; // in sizes of the text: below, the reasons lie under the headline
constexpr double kHeadShare = 0.3;
constexpr int kMostHeadlines = 8; // lines

// The first reasons, or those that follow them, as a list; returns its height.
double reasons(const ComparisonFrame& frame, std::size_t first, Point at, double width, bool draw) {
    const TextRole role = TextRole::Body;
    const double indent = 3.0 * frame.gap();
    const double size = frame.size(role);
    const auto& all = frame.data.verdict->statements;
    const std::size_t end = first == 0 ? std::min(all.size(), kFirstReasons) : all.size();
    double y = at.y;
    for (std::size_t i = first; i < end; ++i) {
        if (draw)
            frame.dot({at.x + 0.5 * frame.gap() + 0.15 * size, y + 0.65 * size}, 0.3 * size,
                frame.theme.textSecondary);
        const double line = frame.lineHeight(role);
        const int lines
            = flowSentence(frame, all[i], {{at.x + indent, y + size}, width - indent, line}, draw);
        y += lines * line + frame.gap();
    }
    return y - at.y;
}

class Verdict {
public:
    Verdict(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_width(width) { }

    [[nodiscard]] double height() const { return lay({}, false); }
    void draw(Rect area) const {
        const auto& theme = m_frame.theme;
        m_frame.fill({area.x, area.y, m_frame.gap(), area.height},
            m_frame.data.verdict->isDecided ? theme.accent : theme.textMuted);
        lay({area.x, area.y}, true);
    }

private:
    // Draws, or only measures; returns the height.
    double lay(Point at, bool draw) const {
        const double pad = 3.0 * m_frame.gap();
        const bool narrow = m_width < kNarrow * m_frame.size(TextRole::Body);
        const double inner = m_width - 2.0 * pad - m_frame.gap();
        const double left = at.x + pad + m_frame.gap();
        const double head = narrow ? inner : kHeadShare * inner;
        const double y = at.y + pad;
        const double headHeight = layHead({left, y}, head, draw);
        if (narrow)
            return 2.0 * pad + headHeight + m_frame.gap()
                + reasons(m_frame, 0, {left, y + headHeight + m_frame.gap()}, inner, draw);
        const double gap = 4.0 * m_frame.gap();
        const double beside = reasons(m_frame, 0, {left + head + gap, y}, inner - head - gap, draw);
        return 2.0 * pad + std::max(headHeight, beside);
    }

    double layHead(Point at, double width, bool draw) const {
        double y = at.y;
        const double row = 1.4 * m_frame.size(TextRole::Secondary);
        // The table names the runs where they are many.
        const std::size_t chips = m_frame.data.isMany() ? 1 : m_frame.data.runs.size();
        const auto names = draw ? chipNames(width) : std::vector<std::string>();
        for (std::size_t run = 0; run < chips; ++run) {
            if (draw)
                drawChip(run, names[run], {at.x, y}, row);
            y += row + 0.5 * m_frame.gap();
        }
        y += m_frame.gap();
        return y - at.y + headline({at.x, y}, width, draw);
    }

    // The cluster stands before the name where clusters differ and there is room for both.
    [[nodiscard]] std::vector<std::string> chipNames(double width) const {
        const auto& runs = m_frame.data.runs;
        const bool isOneCluster = std::ranges::all_of(
            runs, [&](const auto& run) { return run.named.cluster == runs.front().named.cluster; });
        std::vector<std::string> names;
        std::vector<std::string> whole;
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const std::string& cluster = runs[run].named.cluster;
            const std::string& name = m_frame.name(run);
            names.push_back(name);
            whole.push_back(
                isOneCluster || cluster.empty() || cluster == name ? name : cluster + " · " + name);
        }
        const double room = width - m_frame.widestMark() - 4.5 * m_frame.gap();
        auto fitted = m_frame.fittedNames(whole, room, TextRole::Secondary);
        return fitted == whole ? fitted : m_frame.fittedNames(names, room, TextRole::Secondary);
    }

    void drawChip(std::size_t run, const std::string& text, Point at, double height) const {
        const auto& compared = m_frame.data.runs[run];
        const double pad = 1.5 * m_frame.gap();
        const double mark = m_frame.width(compared.mark, TextRole::Secondary, true);
        const double wide = mark + 3.0 * pad + m_frame.width(text, TextRole::Secondary);
        const Color fill = blend(m_frame.paper(), m_frame.fillOf(run), 0.22);
        const Rect chip{at.x, at.y, wide, height};
        m_frame.fill(chip, fill, m_frame.gap());
        const double base = m_frame.centred(chip, TextRole::Secondary);
        const Color ink = legibleOn(m_frame.fillOf(run), fill, 4.5);
        m_frame.text(
            {at.x + pad, base}, compared.mark, ink, TextRole::Secondary, Align::Left, true);
        m_frame.text(
            {at.x + 2.0 * pad + mark, base}, text, m_frame.theme.text, TextRole::Secondary);
        m_frame.addRun(chip, run);
    }

    double headline(Point at, double width, bool draw) const {
        const double size = m_frame.size(TextRole::Title);
        const double line = 1.2 * size;
        const auto lines = m_frame.wrapped(
            m_frame.data.verdict->headline, width, kMostHeadlines, TextRole::Title, true);
        double y = at.y + size;
        for (const auto& one : lines) {
            if (draw)
                m_frame.text(
                    {at.x, y}, one, m_frame.theme.text, TextRole::Title, Align::Left, true);
            y += line;
        }
        return y - at.y - line + 0.4 * size;
    }

    const ComparisonFrame& m_frame;
    double m_width;
};

} // namespace

PanelContent verdictContent(const ComparisonFrame& frame, double width) {
    return Verdict(frame, width);
}

PanelContent reasonsContent(const ComparisonFrame& frame, double width) {
    return {reasons(frame, kFirstReasons, {}, width, false), [&frame, width](Rect area) {
                reasons(frame, kFirstReasons, {area.x, area.y}, width, true);
            }};
}

} // namespace trainscope::plot
