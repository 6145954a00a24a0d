// Every kind of figure, of the sample and of a trace, on paper and on screens of three widths: no
// text leaves the picture, and none lies over another.

#include <QtTest>

#include "app/painting/SceneText.h"
#include "core/figures/Kinds.h"
#include "core/plot/Theme.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace trainscope;
using namespace trainscope::app;

namespace {

constexpr double kSlack = 1.5; // lines may touch by their leading

struct PlacedText {
    std::string text;
    plot::Rect ink;
};

PlacedText placed(
    const plot::Label& label, const plot::Theme& theme, const plot::MeasureText& measure) {
    const double size = theme.size(label.role);
    const double width = measure(label.text, label.role, label.bold);
    const double begin = label.align == plot::Align::Left ? 0.0
        : label.align == plot::Align::Centre              ? -width / 2.0
                                                          : -width;
    // Capitals and digits of Inter are 0.73 high, descenders 0.2.
    const double angle = label.rotation * std::numbers::pi / 180.0;
    plot::Rect box{1e9, 1e9, 0.0, 0.0};
    double right = -1e9;
    double bottom = -1e9;
    for (const double x : {begin, begin + width}) {
        for (const double y : {-0.73 * size, 0.2 * size}) {
            const double turnedX = label.anchor.x + x * std::cos(angle) - y * std::sin(angle);
            const double turnedY = label.anchor.y + x * std::sin(angle) + y * std::cos(angle);
            box.x = std::min(box.x, turnedX);
            box.y = std::min(box.y, turnedY);
            right = std::max(right, turnedX);
            bottom = std::max(bottom, turnedY);
        }
    }
    box.width = right - box.x;
    box.height = bottom - box.y;
    return {label.text, box};
}

bool isStraight(const plot::Label& label) {
    return std::fmod(label.rotation, 90.0) == 0.0;
}

QStringList problemsOf(
    const plot::PlotScene& scene, const plot::Theme& theme, const plot::MeasureText& measure) {
    std::vector<PlacedText> texts;
    for (const auto& item : scene.items) {
        const auto* label = std::get_if<plot::Label>(&item);
        if (label != nullptr && !label->text.empty() && isStraight(*label))
            texts.push_back(placed(*label, theme, measure));
    }
    QStringList found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto& [words, ink] = texts[i];
        if (ink.x < -kSlack || ink.y < -kSlack || ink.right() > scene.width + kSlack
            || ink.bottom() > scene.height + kSlack)
            found.append("outside: " + QString::fromStdString(words));
        for (std::size_t k = i + 1; k < texts.size(); ++k) {
            const auto& other = texts[k].ink;
            const double width = std::min(ink.right(), other.right()) - std::max(ink.x, other.x);
            const double height = std::min(ink.bottom(), other.bottom()) - std::max(ink.y, other.y);
            if (width > kSlack && height > kSlack)
                found.append("over each other: " + QString::fromStdString(words) + " | "
                    + QString::fromStdString(texts[k].text));
        }
    }
    return found;
}

} // namespace

class tst_FigureTexts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedProblemsAreFound() {
        const plot::Theme& theme = *plot::findTheme("paper");
        plot::PlotScene scene;
        scene.width = 100.0;
        scene.height = 50.0;
        plot::Label label;
        label.text = "wide words that leave the picture";
        label.anchor = {40.0, 20.0};
        scene.items.emplace_back(label);
        label.text = "one";
        label.anchor = {10.0, 40.0};
        scene.items.emplace_back(label);
        label.anchor = {12.0, 42.0};
        scene.items.emplace_back(label);
        const auto found = problemsOf(scene, theme, measureWith(theme));
        QCOMPARE(found.size(), 2);
        QVERIFY(found[0].startsWith("outside"));
        QVERIFY(found[1].startsWith("over each other"));
    }

    void kindsOfTheSample_data() {
        QTest::addColumn<QString>("themeName");
        QTest::addColumn<double>("width");
        QTest::newRow("paper, a column") << "paper" << 84.6 / 25.4 * 72.0;
        QTest::newRow("paper, a page") << "paper" << 177.8 / 25.4 * 72.0;
        QTest::newRow("screen, narrow") << "light" << 620.0;
        QTest::newRow("screen, wide") << "dark" << 1400.0;
    }
    void kindsOfTheSample() {
        QFETCH(QString, themeName);
        QFETCH(double, width);
        const auto store = store::Store::open(samplePath(), store::OpenMode::ReadOnly);
        QVERIFY2(store.hasValue(), "the sample is made with the tests");
        const auto runs = store.value().runs().value();
        const plot::Theme& theme = *plot::findTheme(themeName.toStdString());
        plot::FigureStyle style;
        style.theme = &theme;
        style.width = width;
        style.measure = measureWith(theme);
        int drawn = 0;
        QStringList found;
        for (const auto& kind : figures::kinds()) {
            figures::Request request;
            request.runs = runs;
            if (kind.runs == figures::RunsShown::One
                || kind.runs == figures::RunsShown::NamedOrOnly)
                request.runs.resize(1);
            request.style = style;
            if (kind.inReport)
                request.options
                    = kind.inReport(request.runs.size()).value_or(figures::OptionValues());
            const auto figure = kind.load(store.value(), request, {});
            if (!figure.hasValue()) {
                qInfo("%s: %s", kind.key.data(), figure.error().message.c_str());
                continue;
            }
            if (!figure.value().draw)
                continue;
            ++drawn;
            for (const QString& problem :
                problemsOf(figure.value().draw(style).scene, theme, style.measure))
                found.append(QString::fromUtf8(kind.key.data()) + ": " + problem);
        }
        QVERIFY(drawn > 10);
        QVERIFY2(found.isEmpty(), qPrintable(found.join('\n')));
    }

private:
    static std::filesystem::path samplePath() {
        return std::filesystem::path(qEnvironmentVariable("TRAINSCOPE_BINARY").toStdString())
            / "share/trainscope/sample.trainscope";
    }
};

TRAINSCOPE_GUI_TEST(tst_FigureTexts)
#include "tst_FigureTexts.moc"
