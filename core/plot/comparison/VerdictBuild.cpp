// The verdict: who is compared, the headline, and its reasons with their numbers in bold.
#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace trainscope::plot {

namespace {

constexpr double kNarrow = 46.0; // in sizes of the text: below, the reasons lie under the headline
constexpr double kHeadShare = 0.3;

struct Word {
    std::string text;
    bool bold = false;
};

// Digits with what stands around numbers; names of runs with digits in them are none.
bool isNumber(const std::string& word) {
    const bool hasDigit = word.find_first_of("0123456789") != std::string::npos;
    const bool hasLetter = std::any_of(word.begin(), word.end(),
        [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; });
    return hasDigit && !hasLetter;
}

// Units and signs that belong to the number before them.
bool isUnit(const std::string& word) {
    static const std::vector<std::string> kUnits{"×", "%", "pp", "s", "ms", "J", "kJ", "MJ", "W",
        "kW", "MW", "°C", "GB", "GiB", "MB", "Gb/s", "GB/s", "TB/s", "k", "M"};
    std::string bare = word;
    while (!bare.empty() && std::string(".,;:)").find(bare.back()) != std::string::npos)
        bare.pop_back();
    return std::find(kUnits.begin(), kUnits.end(), bare) != kUnits.end();
}

// "32 × H200 SXM" names a cluster: its count is no number of the statement.
void unmarkClusters(std::vector<Word>& words) {
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
        const char next = words[i + 2].text.front();
        if (words[i].bold && words[i + 1].text == "×" && next >= 'A' && next <= 'Z') {
            words[i].bold = false;
            words[i + 1].bold = false;
        }
    }
}

std::vector<Word> wordsOf(const std::string& text) {
    std::vector<Word> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        const bool joined = !words.empty() && words.back().bold && isUnit(word);
        words.push_back({word, isNumber(word) || joined});
    }
    unmarkClusters(words);
    return words;
}

// Draws, or only measures, a paragraph; returns its number of lines.
int paragraph(
    const ComparisonFrame& frame, const std::string& text, Point at, double width, bool draw) {
    const TextRole role = TextRole::Body;
    const double space = frame.draw.width(" ", role);
    double x = 0.0;
    int lines = 1;
    for (const auto& word : wordsOf(text)) {
        const double wide = frame.draw.width(word.text, role, word.bold);
        if (x > 0.0 && x + wide > width) {
            x = 0.0;
            ++lines;
        }
        if (draw)
            frame.draw.text({at.x + x, at.y + (lines - 1) * frame.draw.lineHeight(role)}, word.text,
                frame.theme().text, role, Align::Left, word.bold);
        x += wide + space;
    }
    return lines;
}

// The first reasons, or those that follow them, as a list; returns its height.
double reasons(const ComparisonFrame& frame, std::size_t first, Point at, double width, bool draw) {
    const TextRole role = TextRole::Body;
    const double indent = 3.0 * frame.gap();
    const double size = frame.draw.size(role);
    const auto& all = frame.data.verdict->statements;
    const std::size_t end = first == 0 ? std::min(all.size(), kFirstReasons) : all.size();
    double y = at.y;
    for (std::size_t i = first; i < end; ++i) {
        if (draw) {
            const double dot = 0.3 * size;
            frame.draw.scene.items.emplace_back(
                FillRect{{at.x + 0.5 * frame.gap(), y + 0.65 * size - dot / 2.0, dot, dot},
                    frame.theme().textSecondary, dot / 2.0, Hatch::None});
        }
        const int lines = paragraph(frame, all[i], {at.x + indent, y + size}, width - indent, draw);
        y += lines * frame.draw.lineHeight(role) + frame.gap();
    }
    return y - at.y;
}

class VerdictDrawing {
public:
    VerdictDrawing(const ComparisonFrame& frame, Rect area, bool draw)
        : m_frame(frame)
        , m_area(area)
        , m_draw(draw) { }

    // The height it takes.
    double run() {
        const double pad = 3.0 * m_frame.gap();
        const bool narrow = m_area.width < kNarrow * m_frame.draw.size(TextRole::Body);
        const double inner = m_area.width - 2.0 * pad - m_frame.gap();
        const double left = m_area.x + pad + m_frame.gap();
        const double head = narrow ? inner : kHeadShare * inner;
        const double y = m_area.y + pad;
        const double headHeight = drawHead({left, y}, head);
        if (narrow)
            return 2.0 * pad + headHeight + m_frame.gap()
                + reasons(m_frame, 0, {left, y + headHeight + m_frame.gap()}, inner, m_draw);
        const double gap = 4.0 * m_frame.gap();
        const double beside
            = reasons(m_frame, 0, {left + head + gap, y}, inner - head - gap, m_draw);
        return 2.0 * pad + std::max(headHeight, beside);
    }

private:
    double drawHead(Point at, double width) {
        double y = at.y;
        const double row = 1.4 * m_frame.draw.size(TextRole::Secondary);
        // Of many runs the table names them all.
        const std::size_t chips = m_frame.data.isMany() ? 1 : m_frame.data.runs.size();
        for (std::size_t run = 0; run < chips; ++run) {
            if (m_draw)
                drawChip(run, {at.x, y}, width, row);
            y += row + 0.5 * m_frame.gap();
        }
        y += m_frame.gap();
        return y - at.y + headline({at.x, y}, width);
    }

    void drawChip(std::size_t run, Point at, double width, double height) const {
        const auto& compared = m_frame.data.runs[run];
        const double pad = 1.5 * m_frame.gap();
        const std::string name
            = compared.named.cluster == compared.named.label || compared.named.label.empty()
            ? compared.named.cluster
            : compared.named.cluster + " · " + compared.named.name;
        const double mark = m_frame.draw.width(compared.mark, TextRole::Secondary, true);
        const std::string text
            = m_frame.fitted(name, width - mark - 3.0 * pad, TextRole::Secondary);
        const double wide = mark + 3.0 * pad + m_frame.draw.width(text, TextRole::Secondary);
        const Color fill = blend(m_frame.paper(), m_frame.fillOf(run), 0.22);
        const Rect chip{at.x, at.y, wide, height};
        m_frame.draw.scene.items.emplace_back(FillRect{chip, fill, m_frame.gap(), Hatch::None});
        const double base = m_frame.draw.centred(at.y + height / 2.0, TextRole::Secondary);
        const Color ink = legibleOn(m_frame.fillOf(run), fill, 4.5);
        m_frame.draw.text(
            {at.x + pad, base}, compared.mark, ink, TextRole::Secondary, Align::Left, true);
        m_frame.draw.text(
            {at.x + 2.0 * pad + mark, base}, text, m_frame.theme().text, TextRole::Secondary);
        m_frame.target(chip, ComparisonPanel::Verdict, 0, run);
    }

    double headline(Point at, double width) const {
        const auto& verdict = *m_frame.data.verdict;
        const TextRole role = TextRole::Title;
        const double size = m_frame.draw.size(role);
        const double row = 1.2 * size;
        double x = 0.0;
        double y = at.y + size;
        std::istringstream in(verdict.headline);
        const double space = m_frame.draw.width(" ", role, true);
        for (std::string word; in >> word;) {
            const double wide = m_frame.draw.width(word, role, true);
            if (x > 0.0 && x + wide > width) {
                x = 0.0;
                y += row;
            }
            if (m_draw)
                m_frame.draw.text(
                    {at.x + x, y}, word, m_frame.theme().text, role, Align::Left, true);
            x += wide + space;
        }
        return y - at.y + 0.4 * size;
    }

    const ComparisonFrame& m_frame;
    Rect m_area;
    bool m_draw;
};

} // namespace

double verdictHeight(const ComparisonFrame& frame, double width) {
    return VerdictDrawing(frame, {0.0, 0.0, width, 0.0}, false).run();
}

double reasonsHeight(const ComparisonFrame& frame, double width) {
    return reasons(frame, kFirstReasons, {0.0, 0.0}, width, false);
}

void drawReasons(const ComparisonFrame& frame, Rect area) {
    reasons(frame, kFirstReasons, {area.x, area.y}, area.width, true);
}

void drawVerdict(const ComparisonFrame& frame, Rect area) {
    const Color bar
        = frame.data.verdict->isDecided ? frame.theme().accent : frame.theme().textMuted;
    frame.draw.fill({area.x, area.y, frame.gap(), area.height}, bar);
    VerdictDrawing(frame, area, true).run();
}

} // namespace trainscope::plot
