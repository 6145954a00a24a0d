#include "app/painting/SceneText.h"

#include "core/text/NumberMarks.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QStaticText>
#include <QString>

#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace trainscope::app {

namespace {

// Widths are taken from a large font: at 7 pixels Qt would give them in steps.
constexpr int kMeasureSize = 256;

// Inter where installed, else what the desktop reads its own text in.
const QString& familyName() {
    static const QString family = [] {
        const QString inter = QStringLiteral("Inter");
        return QFontDatabase::families().contains(inter)
            ? inter
            : QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    }();
    return family;
}

QFont makeFont(int pixelSize, bool bold) {
    QFont font(familyName());
    font.setPixelSize(pixelSize);
    font.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    font.setHintingPreference(QFont::PreferNoHinting);
    // Each character by its own glyph, as texts are measured and as they stand in SVG: Inter would
    // write 256x128 with a wider cross, -> as one arrow, and in its later versions brackets beside
    // figures by glyphs of which a PDF does not say the character.
    font.setStyleStrategy(
        static_cast<QFont::StyleStrategy>(QFont::PreferAntialias | QFont::PreferNoShaping));
    font.setKerning(false);
    return font;
}

// Advances at a size of 1, readable by every thread. A timeline measures thousands of kernel names
// a frame, and shaping each would take longer than drawing them; so plain ASCII is summed up by
// character, without kerning.
class Advances {
public:
    explicit Advances(bool bold)
        : m_bold(bold) {
        const QFontMetricsF metrics(makeFont(kMeasureSize, bold));
        for (std::size_t i = 0; i < m_ascii.size(); ++i)
            m_ascii[i] = metrics.horizontalAdvance(QChar(static_cast<char16_t>(i + kFirst)))
                / kMeasureSize;
    }
    [[nodiscard]] double width(std::string_view text) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text.substr(i).starts_with(text::kWordJoiner)) {
                i += text::kWordJoiner.size() - 1;
                continue;
            }
            const auto code = static_cast<unsigned char>(text[i]);
            if (code < kFirst || code >= kFirst + m_ascii.size())
                return shaped(text);
            sum += m_ascii[code - kFirst];
        }
        return sum;
    }

private:
    static constexpr std::size_t kFirst = 0x20;

    [[nodiscard]] double shaped(std::string_view text) const {
        const auto length = static_cast<qsizetype>(text.size());
        const QFontMetricsF metrics(makeFont(kMeasureSize, m_bold));
        return metrics.horizontalAdvance(QString::fromUtf8(text.data(), length)) / kMeasureSize;
    }

    bool m_bold;
    std::array<double, 0x7F - 0x20> m_ascii{};
};

// Several screens full; then it starts anew.
constexpr std::size_t kMostTexts = 4096;

struct Texts {
    QFont font;
    double ascent = 0.0;
    std::unordered_map<std::string, QStaticText> texts;
};

Texts& textsOf(const QFont& font) {
    thread_local std::unordered_map<int, Texts> all;
    Texts& texts = all[2 * font.pixelSize() + (font.bold() ? 1 : 0)];
    if (texts.texts.empty() || texts.font != font)
        texts = {font, QFontMetricsF(font).ascent(), {}};
    return texts;
}

} // namespace

QFont themeFont(const plot::Theme& theme, plot::TextRole role, bool bold) {
    return makeFont(static_cast<int>(std::lround(theme.size(role))), bold);
}

plot::MeasureText measureWith(const plot::Theme& theme) {
    static const Advances regular(false);
    static const Advances bold(true);
    return [theme](std::string_view text, plot::TextRole role, bool isBold) {
        return (isBold ? bold : regular).width(text) * theme.size(role);
    };
}

void drawCachedText(
    QPainter& painter, const QFont& font, QPointF baseline, const std::string& utf8) {
    Texts& known = textsOf(font);
    auto found = known.texts.find(utf8);
    if (found == known.texts.end()) {
        if (known.texts.size() >= kMostTexts)
            known.texts.clear();
        QStaticText text(QString::fromStdString(utf8));
        text.setTextFormat(Qt::PlainText);
        text.setPerformanceHint(QStaticText::AggressiveCaching);
        text.prepare(painter.transform(), font);
        found = known.texts.emplace(utf8, std::move(text)).first;
    }
    painter.drawStaticText(baseline - QPointF(0.0, known.ascent), found->second);
}

} // namespace trainscope::app
