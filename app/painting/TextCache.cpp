#include "app/painting/TextCache.h"

#include <QFontMetricsF>
#include <QStaticText>
#include <QTransform>

#include <unordered_map>

namespace trainscope::app {

namespace {

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
