// Pixels of the screen's painter at places worked out by hand, and shapes for vector files.

#include <QFontMetricsF>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include "app/painting/ScenePainter.h"
#include "support/TestProgram.h"

using namespace trainscope::app;
using namespace trainscope::plot;

namespace {

constexpr Color kRed = rgb(0xFF0000);
const float kBlank = std::nanf("");

PlotScene sceneOf(SceneItem item) {
    PlotScene scene;
    scene.width = 20.0;
    scene.height = 10.0;
    scene.background = rgb(0xFFFFFF);
    scene.items.push_back(std::move(item));
    return scene;
}

QImage painted(const PlotScene& scene, double ratio = 1.0) {
    QImage image(static_cast<int>(20 * ratio), static_cast<int>(10 * ratio), QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
    QPainter painter(&image);
    paintScene(scene, darkTheme(), painter, PaintTarget::Screen);
    return image;
}

} // namespace

class tst_ScenePainter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsFillTheirPixels() {
        const QImage image = painted(sceneOf(Columns{
            {0.0, 0.0, 4.0, 10.0}, {2.0F, kBlank, 5.0F, 0.0F}, {6.0F, kBlank, 6.0F, 10.0F}, kRed}));
        QCOMPARE(image.pixelColor(0, 1), QColor(Qt::white));
        QCOMPARE(image.pixelColor(0, 2), QColor(Qt::red));
        QCOMPARE(image.pixelColor(0, 5), QColor(Qt::red));
        QCOMPARE(image.pixelColor(0, 6), QColor(Qt::white));
        for (int y = 0; y < 10; ++y)
            QCOMPARE(image.pixelColor(1, y), QColor(Qt::white)); // missing
        QCOMPARE(image.pixelColor(2, 5), QColor(Qt::red));
        QCOMPARE(image.pixelColor(3, 9), QColor(Qt::red));
        QCOMPARE(image.pixelColor(4, 5), QColor(Qt::white));
    }

    // A comma begins where the bold number before it ends: without kerning, of which widths know
    // nothing, "1" and "7" stand no closer than measured.
    void textIsAsWideAsMeasured() {
        const Theme& theme = lightTheme();
        const MeasureText measure = measureWith(theme);
        for (const char* text : {"111.7 ms", "71.1 %", "47.74 J", "0.71 ×", "sm90_256x128_64x4",
                 "a->b => c", "f(2) [3] *4"}) {
            for (const bool bold : {false, true}) {
                const double drawn = QFontMetricsF(themeFont(theme, TextRole::Body, bold))
                                         .horizontalAdvance(QString::fromUtf8(text));
                const double measured = measure(text, TextRole::Body, bold);
                QVERIFY2(std::abs(drawn - measured) < 0.3, text);
            }
        }
    }

    void columnsUseDevicePixels() {
        const QImage image = painted(
            sceneOf(Columns{{0.0, 0.0, 1.0, 10.0}, {2.0F, 2.5F}, {3.0F, 3.0F}, kRed}), 2.0);
        QCOMPARE(image.pixelColor(0, 4), QColor(Qt::red));
        QCOMPARE(image.pixelColor(1, 4), QColor(Qt::white));
        QCOMPARE(image.pixelColor(1, 5), QColor(Qt::red));
    }

    void translucentColumnsBlend() {
        const QImage image = painted(
            sceneOf(Columns{{0.0, 0.0, 1.0, 10.0}, {0.0F}, {10.0F}, withAlpha(kRed, 128)}));
        const QColor color = image.pixelColor(0, 5);
        QCOMPARE(color.red(), 255);
        QVERIFY(std::abs(color.green() - 127) <= 1);
    }

    // Bars of 1 to 9 pixels, of two colours over each other, and nothing below them.
    void barsOfEachLengthBlendTheirPixelsAlone() {
        PlotScene scene = sceneOf(Columns{});
        scene.items.clear();
        for (const Color color : {withAlpha(kRed, 128), withAlpha(rgb(0x0000FF), 77)}) {
            Columns columns{{0.0, 0.0, 9.0, 10.0}, {}, {}, color};
            for (int i = 0; i < 9; ++i) {
                columns.top.push_back(0.0F);
                columns.bottom.push_back(static_cast<float>(i + 1));
            }
            scene.items.emplace_back(std::move(columns));
        }
        const QImage image = painted(scene);
        const double green = 255.0 * (127.0 / 255.0) * (178.0 / 255.0);
        for (int x = 0; x < 9; ++x) {
            for (int y = 0; y < 10; ++y) {
                const QColor color = image.pixelColor(x, y);
                const bool in = y <= x;
                QVERIFY(std::abs(color.green() - (in ? green : 255.0)) <= (in ? 2.0 : 0.0));
                QVERIFY(std::abs(color.red() - (in ? 178.0 : 255.0)) <= (in ? 2.0 : 0.0));
                QVERIFY(std::abs(color.blue() - (in ? green + 77.0 : 255.0)) <= (in ? 2.0 : 0.0));
            }
        }
    }

    void aMovedPictureIsThePictureThere() {
        // Twenty of a hundred columns, moved to and fro: with what is kept, each is what it is
        // without.
        const auto sceneAt = [](int first) {
            PlotScene scene = sceneOf(Columns{});
            scene.items.clear();
            for (int series = 0; series < 3; ++series) {
                Columns columns{{0.0, 0.0, 20.0, 10.0}, {}, {},
                    withAlpha(series == 1 ? rgb(0x0000FF) : kRed, 190)};
                for (int i = first; i < first + 20; ++i) {
                    const auto top = static_cast<float>((i * 7 + series * 3) % 9);
                    columns.top.push_back(i % 11 == 4 ? kBlank : top);
                    columns.bottom.push_back(i % 11 == 4 ? kBlank : top + 1.5F);
                }
                columns.content = 42;
                columns.firstColumn = first;
                scene.items.emplace_back(std::move(columns));
            }
            return scene;
        };
        PaintCache cache;
        for (const int first : {10, 13, 12, 12, 31, 70, 51, 50}) {
            const PlotScene scene = sceneAt(first);
            QImage moved(20, 10, QImage::Format_RGB32);
            QPainter painter(&moved);
            paintScene(scene, darkTheme(), painter, PaintTarget::Screen, &cache);
            painter.end();
            QCOMPARE(moved, painted(scene));
        }
    }

    void barsAreRowsOfPixels() {
        const QImage image = painted(sceneOf(Bars{{2.0, 3.0, 16.0, 4.0},
            {{2.0, 5.0, kRed}, {9.9, 10.0, rgb(0x0000FF)}, {17.0, 18.0, kRed}}}));
        for (int y = 0; y < 10; ++y) {
            const bool in = y >= 3 && y < 7;
            QCOMPARE(image.pixelColor(2, y), QColor(in ? Qt::red : Qt::white));
            QCOMPARE(image.pixelColor(4, y), QColor(in ? Qt::red : Qt::white));
            QCOMPARE(image.pixelColor(5, y), QColor(Qt::white));
            QCOMPARE(image.pixelColor(10, y), QColor(in ? Qt::blue : Qt::white)); // at least one
            QCOMPARE(image.pixelColor(17, y), QColor(in ? Qt::red : Qt::white));
            QCOMPARE(image.pixelColor(18, y), QColor(Qt::white));
        }
    }

    void heatCellsAreTransparentWhereMissing() {
        const QImage image
            = painted(sceneOf(HeatStrip{{0.0, 0.0, 20.0, 10.0}, 1, 2, {kRed, Color{0, 0, 0, 0}}}));
        QCOMPARE(image.pixelColor(9, 5), QColor(Qt::red));
        QCOMPARE(image.pixelColor(10, 5), QColor(Qt::white));
    }

    void outlinesSkipGaps() {
        const Columns columns{
            {0.0, 0.0, 4.0, 10.0}, {1.0F, 1.0F, kBlank, 2.0F}, {3.0F, 3.0F, kBlank, 4.0F}, kRed};
        const QPainterPath path = columnsPath(columns);
        QVERIFY(path.contains(QPointF(1.0, 2.0)));
        QVERIFY(!path.contains(QPointF(2.5, 2.0)));
        QVERIFY(path.contains(QPointF(3.5, 3.0)));
        QCOMPARE(path.boundingRect(), QRectF(0.0, 1.0, 4.0, 3.0));
    }

    // A value that is held stands until the next: the edge is upright, not a slope over a column.
    void stepsStaySteps() {
        const Columns step{
            {0.0, 0.0, 4.0, 10.0}, {8.0F, 8.0F, 2.0F, 2.0F}, {9.0F, 9.0F, 9.0F, 3.0F}, kRed};
        const QPainterPath path = columnsPath(step);
        QVERIFY(!path.contains(QPointF(1.9, 7.0)));
        QVERIFY(path.contains(QPointF(2.1, 2.5)));
        QVERIFY(path.contains(QPointF(2.9, 8.5)));
        QVERIFY(!path.contains(QPointF(3.1, 3.5)));
        Columns slope = step;
        slope.isSloped = true; // from (1.5, 8) to (2.5, 2)
        QVERIFY(columnsPath(slope).contains(QPointF(1.9, 7.0)));
    }

    // A bar of a part of the row: 25 % from the foot, above it 50 %.
    void partsOfBarsOnTheScreen() {
        Bars bars{{0.0, 0.0, 4.0, 8.0}, {}};
        bars.bars.push_back({0.0, 2.0, kRed, 0.0F, 0.25F});
        bars.bars.push_back({0.0, 2.0, rgb(0x0000FF), 0.25F, 0.75F});
        bars.bars.push_back({2.0, 4.0, kRed});
        const QImage image = painted(sceneOf(bars));
        QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
        QCOMPARE(image.pixelColor(1, 2), QColor(Qt::blue));
        QCOMPARE(image.pixelColor(1, 5), QColor(Qt::blue));
        QCOMPARE(image.pixelColor(1, 6), QColor(Qt::red));
        QCOMPARE(image.pixelColor(1, 7), QColor(Qt::red));
        QCOMPARE(image.pixelColor(3, 0), QColor(Qt::red));
    }

    void outlinesDropPointsOnALine() {
        const Columns flat{{0.0, 0.0, 100.0, 10.0}, std::vector<float>(100, 4.0F),
            std::vector<float>(100, 5.0F), kRed};
        QVERIFY(columnsPath(flat).elementCount() <= 6);
    }

    void equalCellsMerge() {
        const auto rects = mergedCells(
            {{0.0, 0.0, 4.0, 2.0}, 1, 4, {kRed, kRed, rgb(0x00FF00), Color{0, 0, 0, 0}}});
        QCOMPARE(rects.size(), std::size_t{2});
        QCOMPARE(rects[0].rect.width, 2.25); // a little under its neighbour
        QCOMPARE(rects[1].rect.x, 2.0);
        QCOMPARE(rects[1].rect.width, 1.0); // nothing beside it
    }

    void hatchesStayInside() {
        const Rect rect{3.0, 2.0, 10.0, 4.0};
        const auto lines = hatchLines(rect, 2.0);
        QVERIFY(!lines.empty());
        for (const auto& [from, to] : lines) {
            for (const Point point : {from, to}) {
                QVERIFY(point.x >= rect.x - 1e-9 && point.x <= rect.right() + 1e-9);
                QVERIFY(point.y >= rect.y - 1e-9 && point.y <= rect.bottom() + 1e-9);
            }
        }
    }

    void measuresGrowWithTheText() {
        const auto measure = measureWith(paperTheme());
        QCOMPARE(measure("", TextRole::Small, false), 0.0);
        QVERIFY(measure("iteration 7", TextRole::Small, false)
            > measure("iteration", TextRole::Small, false));
        QVERIFY(measure("µs", TextRole::Small, false) > measure("s", TextRole::Small, false));
        // 7 pt against 8 pt.
        QVERIFY(std::abs(measure("kernel", TextRole::Small, false)
                        / measure("kernel", TextRole::Body, false)
                    - 0.875)
            < 1e-9);
    }

    // Behind a reader's decimal mark stands a word joiner (core/text/NumberMarks.h).
    void wordJoinersAreNothing() {
        const auto measure = measureWith(paperTheme());
        for (const char* before : {"1,", "12 \u00B5s "}) {
            const std::string plain = std::string(before) + "75";
            const std::string joined = std::string(before) + "\u2060" + "75";
            QCOMPARE(measure(joined, TextRole::Body, false), measure(plain, TextRole::Body, false));
        }
        // Beside it fonts do not kern, which shifts what follows by parts of a pixel.
        const auto ink = [](const char* text) {
            QImage image(120, 30, QImage::Format_ARGB32_Premultiplied);
            image.fill(Qt::white);
            QPainter painter(&image);
            PlotScene scene;
            scene.items.emplace_back(Label{{5.0, 20.0}, text, {}});
            paintScene(scene, lightTheme(), painter, PaintTarget::Screen);
            double sum = 0.0;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    sum += 1.0 - image.pixelColor(x, y).lightnessF();
            }
            return sum;
        };
        QVERIFY(ink("1,75 GHz") > 10.0);
        QVERIFY(
            std::abs(ink("1,\u206075 GHz") / ink("1,75 GHz") - 1.0) < 0.03); // a point adds more
    }
};

TRAINSCOPE_GUI_TEST(tst_ScenePainter)
#include "tst_ScenePainter.moc"
