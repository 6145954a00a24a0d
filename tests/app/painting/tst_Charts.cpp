// Qt Charts draws bars, lines and grids exactly where the geometry says they are, at any size, and
// as vectors.

#include <QImage>
#include <QPainter>

#include "app/painting/ChartPainter.h"
#include "app/painting/FigureExport.h"
#include "app/painting/PdfFile.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/figures/support/DemoFigures.h"
#include "support/Content.h"
#include "support/TestProgram.h"

#include <QHashSeed>
#include <QPromise>

#include <thread>

using namespace trainscope::app;

namespace {

constexpr int kScale = 4; // pixels in a unit

QImage painted(const plot::Chart& chart, int width, int height) {
    QImage image(width * kScale, height * kScale, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    painter.scale(kScale, kScale);
    paintChart(chart, painter);
    return image;
}

QColor at(const QImage& image, double x, double y) {
    return image.pixelColor(static_cast<int>(x * kScale), static_cast<int>(y * kScale));
}

plot::Chart emptyChart(plot::Rect area) {
    plot::Chart chart;
    chart.area = area;
    chart.x = {-0.5, 1.5, false, 0.0, 0.0};
    chart.left = {0.0, 10.0, false, 0.0, 0.0};
    chart.grid = plot::rgb(0x00FF00);
    chart.lineWidth = 0.5;
    return chart;
}

} // namespace

class tst_Charts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void barsBesideEachOther_data() {
        const auto row = test::columns<double, double>("width", "height");
        row("small", 60.0, 40.0);
        row("wide", 400.0, 90.0);
        row("high", 100.0, 300.0);
    }
    void barsBesideEachOther() {
        QFETCH(double, width);
        QFETCH(double, height);
        plot::Chart chart = emptyChart({20.0, 30.0, width, height});
        chart.bars.width = 0.5;
        chart.bars.colors = {plot::rgb(0xFF0000), plot::rgb(0x0000FF)};
        chart.bars.values = {{5.0, 10.0}, {2.0, 0.0}};
        const QImage image
            = painted(chart, static_cast<int>(width) + 50, static_cast<int>(height) + 50);
        const auto x = [&](double category) { return 20.0 + width * (category + 0.5) / 2.0; };
        const auto y = [&](double value) { return 30.0 + height * (1.0 - value / 10.0); };
        const double d = 0.75;
        // The first set of category 0 reaches from −0.25 to 0 and from 0 to 5.
        QCOMPARE(at(image, x(-0.25) + d, y(5.0) + d), QColor(Qt::red));
        QCOMPARE(at(image, x(0.0) - d, y(0.0) - d), QColor(Qt::red));
        QVERIFY(at(image, x(-0.25) + d, y(5.0) - d) != QColor(Qt::red));
        QVERIFY(at(image, x(-0.25) - d, y(1.0)) != QColor(Qt::red));
        // The second from 0 to 0.25, up to 2.
        QCOMPARE(at(image, x(0.0) + d, y(2.0) + d), QColor(Qt::blue));
        QCOMPARE(at(image, x(0.25) - d, y(1.0)), QColor(Qt::blue));
        QVERIFY(at(image, x(0.0) + d, y(2.0) - d) != QColor(Qt::blue));
        QVERIFY(at(image, x(0.25) + d, y(1.0)) != QColor(Qt::blue));
        // Category 1.
        QCOMPARE(at(image, x(0.75) + d, y(10.0) + d), QColor(Qt::red));
        QVERIFY(at(image, x(1.0) + d, y(1.0)) != QColor(Qt::blue));
    }

    void stacks() {
        plot::Chart chart = emptyChart({10.0, 10.0, 100.0, 80.0});
        chart.bars.stacked = true;
        chart.bars.width = 0.5;
        chart.bars.colors = {plot::rgb(0xFF0000), plot::rgb(0x0000FF)};
        chart.bars.values = {{5.0, 1.0}, {2.5, 1.0}};
        const QImage image = painted(chart, 120, 100);
        // 5 is 40 units above the foot at 90, 7.5 is 60.
        QCOMPARE(at(image, 35.0, 51.0), QColor(Qt::red));
        QCOMPARE(at(image, 35.0, 49.0), QColor(Qt::blue));
        QCOMPARE(at(image, 35.0, 31.0), QColor(Qt::blue));
        QVERIFY(at(image, 35.0, 28.5) != QColor(Qt::blue));
    }

    void gridAndLines() {
        plot::Chart chart = emptyChart({10.0, 10.0, 100.0, 80.0});
        chart.left.gridFrom = 0.0;
        chart.left.gridStep = 2.5;
        chart.lineWidth = 1.0;
        chart.right = plot::ChartAxis{0.0, 1.0, false, 0.0, 0.0};
        chart.curves.push_back({{{0.0, 0.75}, {1.0, 0.75}}, plot::rgb(0xFF0000), 2.0, 0.0, true});
        chart.curves.push_back({{{0.5, 2.0}}, plot::rgb(0x0000FF), 0.0, 6.0, false});
        const QImage image = painted(chart, 120, 100);
        QCOMPARE(at(image, 20.0, 70.0), QColor(Qt::green)); // 2.5 of 10
        QCOMPARE(at(image, 20.0, 50.0), QColor(Qt::green));
        QVERIFY(at(image, 20.0, 60.0) != QColor(Qt::green));
        QCOMPARE(at(image, 60.0, 30.0), QColor(Qt::red)); // 0.75 on the right axis
        QCOMPARE(at(image, 60.0, 74.0), QColor(Qt::blue)); // a dot at 2 of 10
        QVERIFY(at(image, 64.5, 74.0) != QColor(Qt::blue)); // 6 wide
    }

    void filesAreVectorsAndTheSameTwice_data() {
        const auto row = test::columns<QString>("suffix");
        for (const char* suffix : {"pdf", "svg", "png"})
            row(suffix, QString::fromLatin1(suffix));
    }
    void filesAreVectorsAndTheSameTwice() {
        QFETCH(QString, suffix);
        QByteArray files[2];
        for (int i = 0; i < 2; ++i) {
            const QString path = m_folder.filePath(QStringLiteral("f%1.").arg(i) + suffix);
            QVERIFY(writeFigure(sweepFigure(), path, {}).hasValue());
            files[i] = test::contentOf(path);
        }
        QVERIFY(!files[0].isEmpty());
        QCOMPARE(files[0], files[1]);
        if (suffix == QLatin1String("svg")) {
            QVERIFY(!files[0].contains("<image"));
            QVERIFY(files[0].contains("@font-face"));
        }
        if (suffix == QLatin1String("pdf")) {
            QVERIFY(!files[0].contains("/Subtype /Image"));
            QVERIFY(files[0].contains("/FontFile"));
        }
    }

    // The first of two exports at once goes on with the order that it began with.
    void twoExportsAtOnce() {
        const PdfInformation page{100.0, 100.0, {}, {}, {}};
        const auto draw = [](QPdfWriter&, QPainter& painter) {
            for (const char* family : {"Inter", "DejaVu Sans", "DejaVu Serif"}) {
                painter.setFont(QFont(QString::fromLatin1(family), 8));
                painter.drawText(QPointF(10, 20), QString::fromLatin1(family));
            }
        };
        const auto alone = paintPdf(page, draw);
        std::size_t seedWithin = 1;
        const auto around = paintPdf(page, [&](QPdfWriter& writer, QPainter& painter) {
            QVERIFY(paintPdf(page, draw).hasValue());
            seedWithin = QHashSeed::globalSeed();
            draw(writer, painter);
        });
        QCOMPARE(seedWithin, std::size_t{0}); // the fixed one
        QVERIFY(alone.hasValue() && around.hasValue());
        QVERIFY(alone.value() == around.value());
    }

    // As the window writes it.
    void otherThreadsWriteTheSame_data() { filesAreVectorsAndTheSameTwice_data(); }
    void otherThreadsWriteTheSame() {
        QFETCH(QString, suffix);
        const QString here = m_folder.filePath(QStringLiteral("here.") + suffix);
        const QString there = m_folder.filePath(QStringLiteral("there.") + suffix);
        QVERIFY(writeFigure(sweepFigure(), here, {}).hasValue());
        bool isWritten = false;
        QPromise<void> work;
        work.start();
        std::thread thread([&] {
            isWritten = writeFigure(sweepFigure(), there, {}).hasValue();
            work.finish();
        });
        waitForPainting(work.future());
        thread.join();
        QVERIFY(isWritten);
        QFile first(here);
        QFile second(there);
        QVERIFY(first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly));
        QVERIFY(first.readAll() == second.readAll());
    }

    void tooLowWarns() {
        FigureOptions options;
        options.heightMm = 20.0;
        const auto written
            = writeFigure(sweepFigure(), m_folder.filePath(QStringLiteral("low.pdf")), options);
        QVERIFY(written.hasValue());
        QVERIFY(!written.value().isEmpty());
    }

private:
    static figures::Figure sweepFigure() {
        return figures::runFigure(std::make_shared<const plot::FigureData>(test::demoSweep(3, 8)));
    }

    QTemporaryDir m_folder;
};

TRAINSCOPE_GUI_TEST(tst_Charts)
#include "tst_Charts.moc"
