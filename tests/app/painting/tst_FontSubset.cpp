// The font that an SVG carries: read back by the system's own font engine.

#include <QFont>
#include <QPainterPath>
#include <QRawFont>
#include <QTest>

#include "app/painting/FontSubset.h"
#include "app/painting/ScenePainter.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::app;

namespace {

QRawFont source() {
    return QRawFont::fromFont(themeFont(plot::paperTheme(), plot::TextRole::Body, false));
}

} // namespace

class tst_FontSubset : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsItsCharactersAndNoOthers() {
        const auto subset = subsetFont(source(), QStringLiteral("GPU 0 µ"));
        QVERIFY(subset.hasValue());
        QVERIFY(subset.value().size() < 8000);
        const QRawFont font(subset.value(), 100.0);
        QVERIFY(font.isValid());
        for (const QChar c : QStringLiteral("GPU0µ "))
            QVERIFY(font.supportsCharacter(c));
        QVERIFY(!font.supportsCharacter(QLatin1Char('z')));
    }

    void keepsAdvancesAndShapes() {
        QRawFont source
            = QRawFont::fromFont(themeFont(plot::paperTheme(), plot::TextRole::Body, true));
        const auto subset = subsetFont(source, QStringLiteral("S8"));
        QVERIFY(subset.hasValue());
        source.setPixelSize(1000.0);
        const QRawFont font(subset.value(), 1000.0);
        for (const QChar c : QStringLiteral("S8")) {
            const auto original = source.glyphIndexesForString(QString(c));
            const auto copy = font.glyphIndexesForString(QString(c));
            const double advance = source.advancesForGlyphIndexes(original).first().x();
            QVERIFY(std::abs(font.advancesForGlyphIndexes(copy).first().x() - advance) <= 1.0);
            const QRectF before = source.pathForGlyph(original.first()).boundingRect();
            const QRectF after = font.pathForGlyph(copy.first()).boundingRect();
            QVERIFY(std::abs(before.height() - after.height()) < 4.0);
            QVERIFY(std::abs(before.width() - after.width()) < 4.0);
        }
    }

    // The bar is a rectangle, the space is nothing.
    void outlinesOfAFewPoints() {
        const auto subset = subsetFont(source(), QStringLiteral("| "));
        QVERIFY(subset.hasValue());
        const QRawFont font(subset.value(), 1000.0);
        const auto glyphs = font.glyphIndexesForString(QStringLiteral("| "));
        const QPainterPath bar = font.pathForGlyph(glyphs[0]);
        QCOMPARE(bar.elementCount(), 5); // four corners and back
        QCOMPARE(QPointF(bar.elementAt(0)), QPointF(bar.elementAt(4)));
        QVERIFY(font.pathForGlyph(glyphs[1]).isEmpty());
        QVERIFY(font.advancesForGlyphIndexes(glyphs)[1].x() > 0.0);
    }

    void curvesStayWhereTheyAre() {
        const auto subset = subsetFont(source(), QStringLiteral("O"));
        QVERIFY(subset.hasValue());
        QRawFont original = source();
        original.setPixelSize(1000.0);
        const QRawFont font(subset.value(), 1000.0);
        const auto pathOf = [](const QRawFont& raw) {
            return raw.pathForGlyph(raw.glyphIndexesForString(QStringLiteral("O")).first());
        };
        const QPainterPath before = pathOf(original);
        const QPainterPath after = pathOf(font);
        QVERIFY(before.elementCount() > 20);
        QCOMPARE(after.elementCount(), before.elementCount());
        for (int i = 0; i < after.elementCount(); ++i) {
            const QPointF moved = QPointF(after.elementAt(i)) - QPointF(before.elementAt(i));
            QVERIFY(std::hypot(moved.x(), moved.y()) < 1.5);
        }
    }

    void theSameBytesEachTime() {
        const QString characters = QStringLiteral("GPU power (W) 0123456789 µ°");
        const auto subset = subsetFont(source(), characters);
        QVERIFY(subset.hasValue());
        QCOMPARE(subset.value(), subsetFont(source(), characters).value());
        // No layout tables: texts are measured without kerning.
        const QRawFont font(subset.value(), 100.0);
        for (const char* table : {"GSUB", "GPOS", "kern", "GDEF"})
            QVERIFY2(font.fontTable(table).isEmpty(), table);
    }
};

TRAINSCOPE_GUI_TEST(tst_FontSubset)
#include "tst_FontSubset.moc"
