// The font that an SVG carries: read back by the system's own font engine.

#include <QFont>
#include <QRawFont>
#include <QTest>

#include "app/painting/FontSubset.h"
#include "app/painting/GlyphOutline.h"
#include "app/painting/ScenePainter.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::app;

class tst_FontSubset : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsItsCharactersAndNoOthers() {
        const QRawFont source
            = QRawFont::fromFont(themeFont(plot::paperTheme(), plot::TextRole::Body, false));
        const auto subset = subsetFont(source, QStringLiteral("GPU 0 µ"));
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

    void outlinesOfAFewPoints() {
        QPainterPath square;
        square.addRect(0.0, -10.0, 10.0, 10.0); // 0..10 above the baseline
        const auto outline = GlyphOutline::fromPath(square);
        QCOMPARE(outline.contours.size(), std::size_t{1});
        QCOMPARE(outline.contours[0].size(), std::size_t{4});
        // Header 10, one end point 2, no instructions 2, four flags, eight coordinates: 34, padded.
        QCOMPARE(outline.encode().size(), qsizetype{36});
        QVERIFY(GlyphOutline::fromPath({}).encode().isEmpty());
    }

    void curvesBecomeQuadratics() {
        QPainterPath circle;
        circle.addEllipse(QPointF(0.0, 0.0), 500.0, 500.0);
        const auto outline = GlyphOutline::fromPath(circle);
        for (const auto& contour : outline.contours) {
            for (const auto& point : contour) {
                if (point.onCurve)
                    QVERIFY(std::abs(std::hypot(point.x, point.y) - 500.0) < 1.5);
            }
        }
    }
};

TRAINSCOPE_GUI_TEST(tst_FontSubset)
#include "tst_FontSubset.moc"
