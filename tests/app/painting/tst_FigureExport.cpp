// Figures as files: true size, embedded fonts, metadata, equal bytes, warnings, and nothing
// destroyed by a failure.

#include "app/painting/FigureExport.h"
#include "app/painting/PdfFile.h"
#include "app/painting/ScenePainter.h"
#include "app/painting/support/DemoTimeline.h"
#include "core/figures/timeline/TimelineFigure.h"
#include "core/plot/timeline/Timeline.h"
#include "support/Content.h"
#include "support/TestProgram.h"

#include <QImage>

using namespace trainscope::app;
using trainscope::app::withShortCoordinates;

namespace {

std::vector<plot::PlotScene> demo(const plot::Theme& theme, double widthMm = 177.8) {
    auto data = test::demoTimeline({2, 4, 200, 1});
    for (auto& lane : data.lanes)
        lane.spec.height *= 0.5;
    plot::TimelineStyle style;
    style.theme = &theme;
    style.width = widthMm / 25.4 * 72.0;
    style.nameWidth = 90.0;
    style.legend = true;
    style.measure = measureWith(theme);
    return {plot::buildTimeline(data, data.window, style).scene};
}

FigureOptions demoOptions() {
    FigureOptions options;
    options.metadata = {QStringLiteral("a & <b>"), {"00ff", "beef"}};
    return options;
}

} // namespace

class tst_FigureExport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameInputSameBytes_data() {
        const auto row = test::columns<QString>("suffix");
        for (const char* suffix : {"pdf", "svg", "png"})
            row(suffix, QString::fromLatin1(suffix));
    }
    void sameInputSameBytes() {
        QFETCH(QString, suffix);
        const QString first = at("first") + QLatin1Char('.') + suffix;
        const QString later = at("second") + QLatin1Char('.') + suffix;
        FigureOptions options = demoOptions();
        options.pngDpi = 100;
        QVERIFY(exportFigure(first, demo(plot::paperTheme()), options).hasValue());
        const qint64 second = QDateTime::currentSecsSinceEpoch();
        QTRY_VERIFY(QDateTime::currentSecsSinceEpoch() > second);
        QVERIFY(exportFigure(later, demo(plot::paperTheme()), options).hasValue());
        QVERIFY(!test::contentOf(first).isEmpty());
        QVERIFY(test::contentOf(first) == test::contentOf(later));
    }

    void pdfHasTrueSizeFontsAndMetadata() {
        const QString path = at("figure.pdf");
        FigureOptions options = demoOptions();
        options.widthMm = 84.582; // 3.33 in = 239.76 pt
        QVERIFY(exportFigure(path, demo(plot::paperTheme(), 84.582), options).hasValue());
        const QByteArray pdf = test::contentOf(path);
        const QRegularExpression box(
            QStringLiteral("/MediaBox \\[ 0\\S* (\\S+) (\\S+) (\\S+) \\]"));
        const auto match = box.match(QString::fromLatin1(pdf));
        QVERIFY(match.hasMatch());
        QVERIFY(std::abs(match.captured(2).toDouble() - 239.76) < 0.01);
        QVERIFY(pdf.contains("/FontFile2"));
        QVERIFY(!pdf.contains("/Type3"));
        QVERIFY(!pdf.contains("CreationDate"));
        QVERIFY(pdf.contains("/ID [<"));
        QVERIFY(pdf.contains("(Sources: 00ff beef)"));
    }

    void pdfTableOfContentsIsTrue() {
        const QString path = at("xref.pdf");
        QVERIFY(exportFigure(path, demo(plot::paperTheme()), demoOptions()).hasValue());
        const QByteArray pdf = test::contentOf(path);
        const qsizetype pointer = pdf.lastIndexOf("startxref\n");
        const qsizetype table = pdf.mid(pointer + 10).split('\n').first().toLongLong();
        const auto lines = pdf.mid(table).split('\n');
        QCOMPARE(lines[0], QByteArray("xref"));
        const int count = lines[1].split(' ')[1].toInt();
        QVERIFY(count > 10);
        for (int i = 1; i < count; ++i) {
            const qsizetype offset = lines[2 + i].left(10).toLongLong();
            QVERIFY(pdf.mid(offset).startsWith(QByteArray::number(i) + " 0 obj"));
        }
    }

    void svgHasTrueSizeFontsAndMetadata() {
        const QString path = at("figure.svg");
        QVERIFY(exportFigure(path, demo(plot::paperTheme()), demoOptions()).hasValue());
        const QByteArray svg = test::contentOf(path);
        QVERIFY(svg.contains("<svg width=\"177.800mm\""));
        QVERIFY(svg.contains("<title>a &amp; &lt;b&gt;</title>"));
        QVERIFY(svg.contains("<dc:creator>Trainscope " TRAINSCOPE_VERSION "</dc:creator>"));
        QVERIFY(svg.contains("<dc:source>beef</dc:source>"));
        QVERIFY(svg.contains("@font-face"));
        QVERIFY(svg.contains(">GPU power</text>"));
        QVERIFY(!svg.contains("<image"));
    }

    void pngHasItsResolution() {
        const QString path = at("figure.png");
        FigureOptions options = demoOptions();
        options.pngDpi = 150;
        QVERIFY(exportFigure(path, demo(plot::paperTheme()), options).hasValue());
        const QImage image(path);
        QCOMPARE(image.width(), 1050); // 7 in at 150 dpi
        QCOMPARE(image.dotsPerMeterX(), 5906);
        QCOMPARE(image.text(QStringLiteral("Title")), QStringLiteral("a & <b>"));
    }

    void smallTextIsWarnedOf() {
        plot::Theme tiny = plot::paperTheme();
        tiny.smallSize = 5.0;
        FigureOptions options = demoOptions();
        options.theme = &tiny;
        const auto written = exportFigure(at("tiny.svg"), demo(tiny), options);
        QVERIFY(written.hasValue());
        QVERIFY(written.value().join(QLatin1Char(' ')).contains(QStringLiteral("6 pt")));
        QVERIFY(exportFigure(at("fine.svg"), demo(plot::paperTheme()), demoOptions())
                    .value()
                    .isEmpty());
    }

    void wideFiguresAreWarnedOf() {
        FigureOptions options = demoOptions();
        options.widthMm = 400.0; // 7 pt at 7 in: 3.1 pt
        const auto written = exportFigure(at("wide.svg"), demo(plot::paperTheme(), 400.0), options);
        QVERIFY(written.hasValue());
        QCOMPARE(written.value().size(), 1);
        QVERIFY(written.value().first().contains(QStringLiteral("3.1 pt")));
    }

    void failuresDestroyNothing() {
        const QString path = at("kept.pdf");
        QVERIFY(test::writeContent(path, "what was there"));
        FigureOptions huge = demoOptions();
        huge.pngDpi = 100000;
        QVERIFY(!exportFigure(path, demo(plot::paperTheme()), huge).hasValue());
        QCOMPARE(test::contentOf(path), QByteArray("what was there"));
    }

    void errorsSayWhatIsWrong_data() {
        const auto row = test::columns<QString, QString>("path", "text");
        row("suffix", "/tmp/figure.bmp", ".png, .pdf or .svg");
        row("folder", "/nonexistent/figure.pdf", "does not exist");
        row("nothing", QString(), ".png, .pdf or .svg");
    }
    void errorsSayWhatIsWrong() {
        QFETCH(QString, path);
        QFETCH(QString, text);
        const auto written = exportFigure(path, demo(plot::paperTheme()), demoOptions());
        QVERIFY(!written.hasValue());
        QVERIFY(QString::fromStdString(written.error().describe()).contains(text));
    }

    void sizesAreChecked() {
        FigureOptions options = demoOptions();
        options.widthMm = 0.0;
        QVERIFY(!exportFigure(at("x.svg"), demo(plot::paperTheme()), options).hasValue());
        options = demoOptions();
        options.pngDpi = 100000;
        QVERIFY(!exportFigure(at("x.png"), demo(plot::paperTheme()), options).hasValue());
    }

    // 239.76 pt wide, 29 % of it for names, two columns a point; PNG: 300 / 72 a point.
    void numbersHaveTheFiguresColumns() {
        FigureOptions options = demoOptions();
        options.widthMm = 84.582;
        QCOMPARE(figures::timelineColumns(requestFor(at("x.pdf"), options)), 340);
        QCOMPARE(figures::timelineColumns(requestFor(at("x.png"), options)), 709);
    }

    void presetsAreThoseOfThePapers() {
        const auto& presets = figurePresets();
        QVERIFY(std::abs(presets[0].widthMm - 84.582) < 1e-9);
        QVERIFY(std::abs(presets[1].widthMm - 85.725) < 1e-9);
        QVERIFY(std::abs(presets[2].widthMm - 177.8) < 1e-9);
    }

    // Coordinates of a PDF page lose the digits that nobody can see, and nothing else changes.
    void twoDecimals() {
        QCOMPARE(
            withShortCoordinates("2605.86856 834.946505 l\n"), std::string("2605.87 834.95 l\n"));
        QCOMPARE(withShortCoordinates("0.06 0 0 -0.06 0 458 cm\nq\n91.0769230 39.1640000 m\nQ\n"
                                      "1.2345 2.0000 3 4 re\n100 20.5 l\n"),
            std::string("0.06 0 0 -0.06 0 458 cm\nq\n91.08 39.16 m\nQ\n1.23 2 3 4 re\n"
                        "100 20.5 l\n"));
    }

    void onlyPathsChange() {
        const std::string other = "q q\n/CSp cs 0.972549021 0.560784339 0.054901961 scn\n/GSa gs\n"
                                  "0.500000000 w 0 J 2 j []0  d\n"
                                  "8.00000000 0 0 -8.00000000 10.5555555 20 Tm\n<0012> Tj\nf\n";
        QCOMPARE(withShortCoordinates(other), other);
    }

    void zeroHasNoSign() {
        QCOMPARE(withShortCoordinates("-0.0001 -1.50 l\n"), std::string("0 -1.5 l\n"));
    }

private:
    QTemporaryDir m_folder;
    [[nodiscard]] QString at(const char* name) const {
        return m_folder.filePath(QString::fromLatin1(name));
    }
};

TRAINSCOPE_GUI_TEST(tst_FigureExport)
#include "tst_FigureExport.moc"
