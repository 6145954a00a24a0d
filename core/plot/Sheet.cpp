#include "core/plot/Sheet.h"

#include "core/plot/TextFit.h"

#include <iterator>

namespace trainscope::plot {

namespace {

constexpr std::string_view kOpening = "(";
constexpr std::string_view kClosing = ".,;:)";

// Parts of the sentence between which a line may break: what stands before a number, the number
// with its unit, what stands behind.
struct SentencePart {
    std::string before;
    std::string core;
    std::string behind;
    bool isNumber = false;
};

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

SentencePart partOf(std::string_view word) {
    const bool isNumber = word.find_first_of("0123456789") != std::string_view::npos
        && std::ranges::none_of(word, isLetter);
    if (!isNumber)
        return {{}, std::string(word), {}, false};
    const std::size_t begin = std::min(word.find_first_not_of(kOpening), word.size());
    const std::size_t end = word.find_last_not_of(kClosing) + 1;
    return {std::string(word.substr(0, begin)), std::string(word.substr(begin, end - begin)),
        std::string(word.substr(end)), true};
}

std::vector<std::string_view> wordsOfSentence(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = text.find_first_not_of(' '); at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(' ', end);
    }
    return words;
}

// "32 × H200 SXM": a count of things that have a name.
bool isCountOfNamed(const std::vector<std::string_view>& words, std::size_t at) {
    return at + 2 < words.size() && words[at + 1] == "×" && words[at + 2].front() >= 'A'
        && words[at + 2].front() <= 'Z';
}

std::vector<SentencePart> partsOfSentence(std::string_view text) {
    std::vector<SentencePart> parts;
    const auto words = wordsOfSentence(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        SentencePart part = partOf(words[i]);
        part.isNumber = part.isNumber && !isCountOfNamed(words, i);
        if (part.isNumber && part.behind.empty() && i + 1 < words.size()
            && isUnitWord(words[i + 1])) {
            const std::string_view unit = words[++i];
            const std::size_t end = unit.find_last_not_of(kClosing) + 1;
            part.core += " " + std::string(unit.substr(0, end));
            part.behind = unit.substr(end);
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace

double titleHeight(const Canvas& canvas) {
    return canvas.lineHeight(TextRole::Body) + 2.0 * canvas.gap();
}

void drawTitle(const Canvas& canvas, const std::string& title, Point corner, double width) {
    const double baseline = corner.y + canvas.size(TextRole::Body);
    canvas.heading({corner.x, baseline}, title, width, TextRole::Body);
}

void drawEmptyText(const Canvas& canvas, const std::string& text, Rect area) {
    constexpr int kMostLines = 4;
    double y = area.y + area.height / 2.0;
    for (const auto& line : canvas.wrapped(text, 0.8 * area.width, kMostLines, TextRole::Body)) {
        canvas.text({area.x + area.width / 2.0, y}, line, canvas.theme.textSecondary,
            TextRole::Body, Align::Centre);
        y += canvas.lineHeight(TextRole::Body);
    }
}

SheetFoot::SheetFoot(const Canvas& canvas, const SheetTexts& texts, double width)
    : m_canvas(canvas)
    , m_width(width) {
    if (!texts.caption.empty())
        m_texts.push_back(texts.caption);
    std::copy_if(texts.notes.begin(), texts.notes.end(), std::back_inserter(m_texts),
        [](const std::string& note) { return !note.empty(); });
    for (const std::string& text : m_texts)
        wrap(text, static_cast<int>(text.size()));
}

void SheetFoot::keepTo(int mostLines) {
    m_lines.clear();
    for (const std::string& text : m_texts)
        wrap(text, mostLines);
}

void SheetFoot::wrap(const std::string& text, int mostLines) {
    for (auto& line : m_canvas.wrapped(text, m_width, mostLines))
        m_lines.push_back(std::move(line));
}

double SheetFoot::height() const {
    return m_lines.empty()
        ? 0.0
        : m_canvas.gap() + static_cast<double>(m_lines.size()) * m_canvas.lineHeight();
}

void SheetFoot::draw(double x, double top) const {
    double y = top + m_canvas.gap() + m_canvas.size();
    for (const auto& line : m_lines) {
        m_canvas.note({x, y}, line);
        y += m_canvas.lineHeight();
    }
}

Sheet::Sheet(Picture& onto, const FigureStyle& ofStyle)
    : Canvas{*ofStyle.theme, ofStyle.measure, onto.scene}
    , picture(onto)
    , style(ofStyle) {
    scene.width = style.width;
    scene.background = theme.window;
}

double Sheet::width() const {
    return std::max(style.width - 2.0 * edge(), 1.0);
}

Rect Sheet::open(const SheetTexts& texts, double wanted, int mostFootLines) {
    m_foot.emplace(*this, style.caption ? texts : SheetTexts(), width());
    const bool hasTitle = style.title && !texts.title.empty();
    const double legend = drawLegend({}, false);
    const double top = edge() + (hasTitle ? titleHeight(*this) : 0.0);
    const double fixed = (legend > 0.0 ? legend + 2.0 * gap() : 0.0) + edge();
    picture.preferredHeight = top + wanted + fixed + m_foot->height();
    scene.height = style.height > 0.0 ? style.height : picture.preferredHeight;
    if (scene.height < picture.preferredHeight)
        m_foot->keepTo(mostFootLines);
    if (hasTitle)
        drawTitle(*this, texts.title, {edge(), edge()}, width());
    const double below = fixed + m_foot->height();
    m_area = {edge(), top, width(), std::max(scene.height - top - below, 1.0)};
    return m_area;
}

void Sheet::close() const {
    drawLegend({edge(), m_area.bottom() + 2.0 * gap()}, true);
    m_foot->draw(edge(), scene.height - edge() - m_foot->height());
}

void Sheet::drawEmpty(const SheetTexts& texts) {
    m_legend.clear();
    const Rect area = open({texts.title, {}, {}, {}}, kEmptyHeight * lineHeight(TextRole::Body));
    drawEmptyText(*this, texts.emptyText, area);
}

double Sheet::drawLegend(Point at, bool isDrawn) const {
    const double side = 0.8 * size();
    LegendFlow flow(*this,
        {side, gap(), 1.2 * size(), 1.5 * size(), 0.5 * size(), theme.textSecondary}, at, width(),
        isDrawn);
    for (const auto& [words, color] : m_legend) {
        flow.add(words, [&, color = color](Point left) {
            fill({left.x, left.y - side / 2.0, side, side}, color);
        });
    }
    return flow.height();
}

int flowSentence(
    const Canvas& canvas, std::string_view text, const SentencePlace& place, bool isDrawn) {
    constexpr TextRole kRole = TextRole::Body;
    const double blank = canvas.width(" ", kRole);
    double x = 0.0;
    int lines = 1;
    for (const SentencePart& part : partsOfSentence(text)) {
        const double before = canvas.width(part.before, kRole);
        const double core = canvas.width(part.core, kRole, part.isNumber);
        const double wide = before + core + canvas.width(part.behind, kRole);
        if (x > 0.0 && x + wide > place.width && lines < place.most) {
            x = 0.0;
            ++lines;
        }
        const double y = place.baseline.y + (lines - 1) * place.line;
        const auto draw = [&](double at, const std::string& one, bool bold) {
            if (isDrawn && !one.empty())
                canvas.text({place.baseline.x + at, y},
                    canvas.fitted(one, place.width, kRole, bold), canvas.theme.text, kRole,
                    Align::Left, bold);
        };
        draw(x, part.before, false);
        draw(x + before, part.core, part.isNumber);
        draw(x + before + core, part.behind, false);
        x += wide + blank;
    }
    return lines;
}

} // namespace trainscope::plot
