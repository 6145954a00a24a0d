// The drawing of a small timeline, as SVG text that can be reviewed. Text is measured with a fixed
// pitch and its font is taken out, so that the file does not depend on installed fonts.
// UPDATE_GOLDEN=1 writes the file anew.

#include <QBuffer>
#include <QFile>
#include <QPainter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <QTest>

#include "app/painting/ScenePainter.h"
#include "app/painting/support/DemoTimeline.h"
#include "core/plot/Timeline.h"

using namespace trainscope;
using namespace trainscope::app;

namespace {

// 0.6 of the size a byte: wide enough that the installed font's text stays in its place.
plot::MeasureText fixedPitch(const plot::Theme& theme) {
    return [&theme](std::string_view text, plot::TextRole role, bool) {
        return 0.6 * theme.size(role) * static_cast<double>(text.size());
    };
}

QByteArray drawn(const char* themeName, int runs) {
    auto data = test::demoTimeline({2, 2, 60, runs});
    for (auto& lane : data.lanes)
        lane.spec.height *= runs == 1 ? 0.5 : 0.8;
    plot::TimelineStyle style;
    style.theme = plot::findTheme(themeName);
    style.width = 20.0 * style.theme->size(plot::TextRole::Body) + 240.0;
    style.nameWidth = 11.0 * style.theme->size(plot::TextRole::Body);
    style.legend = true;
    style.measure = fixedPitch(*style.theme);
    auto scene = plot::buildTimeline(data, data.window, style).scene;
    for (auto& item : scene.items) {
        // Other alignments are placed by the width of the installed font.
        if (auto* label = std::get_if<plot::Label>(&item)) {
            const double width = style.measure(label->text, label->role, label->bold);
            label->anchor.x -= label->align == plot::Align::Right ? width : 0.0;
            label->anchor.x -= label->align == plot::Align::Centre ? width / 2.0 : 0.0;
            label->align = plot::Align::Left;
        }
    }
    QByteArray svg;
    QBuffer buffer(&svg);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(72);
    generator.setSize(QSize(static_cast<int>(style.width), static_cast<int>(scene.height) + 1));
    generator.setViewBox(QRectF(0.0, 0.0, scene.width, scene.height));
    QPainter painter(&generator);
    paintScene(scene, *style.theme, painter, PaintTarget::Vector);
    painter.end();
    static const QRegularExpression kFamily(QStringLiteral("font-family=\"[^\"]*\""));
    return QString::fromUtf8(svg)
        .replace(kFamily, QStringLiteral("font-family=\"Inter\""))
        .toUtf8();
}

} // namespace

class GoldenSvgTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timelines_data() {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<int>("runs");
        QTest::newRow("paper-one-run") << QStringLiteral("paper") << 1;
        QTest::newRow("light-two-runs") << QStringLiteral("light") << 2;
    }
    void timelines() {
        QFETCH(QString, theme);
        QFETCH(int, runs);
        const QString golden = qEnvironmentVariable("TRAINSCOPE_SOURCE")
            + QStringLiteral("/tests/app/painting/golden/")
            + QString::fromLatin1(QTest::currentDataTag()) + QStringLiteral(".svg");
        const QByteArray actual = drawn(theme.toLatin1().constData(), runs);
        const bool update = qEnvironmentVariableIsSet("UPDATE_GOLDEN");
        QFile file(golden);
        if (update) {
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(actual);
            return;
        }
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(golden));
        if (file.readAll() == actual)
            return;
        const QString beside = qEnvironmentVariable("TRAINSCOPE_BINARY", QStringLiteral("."))
            + QLatin1Char('/') + QString::fromLatin1(QTest::currentDataTag())
            + QStringLiteral(".actual.svg");
        QFile other(beside);
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write(actual);
        QFAIL(qPrintable(QStringLiteral("Differs from %1; see %2").arg(golden, beside)));
    }
};

QTEST_MAIN(GoldenSvgTest)
#include "tst_GoldenSvg.moc"
