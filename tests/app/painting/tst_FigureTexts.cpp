// Every kind of figure of the sample, on paper and on screens: no text leaves the picture, and none
// lies over another.

#include "app/painting/FigureWriters.h"
#include "app/painting/ScenePainter.h"
#include "core/figures/Kinds.h"
#include "core/plot/Theme.h"
#include "support/TestProgram.h"

#include <QFont>
#include <QPainterPath>
#include <QRawFont>

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
            found.append(QString::fromStdString("outside: " + words));
        for (std::size_t k = i + 1; k < texts.size(); ++k) {
            const auto& other = texts[k].ink;
            const double width = std::min(ink.right(), other.right()) - std::max(ink.x, other.x);
            const double height = std::min(ink.bottom(), other.bottom()) - std::max(ink.y, other.y);
            if (width > kSlack && height > kSlack)
                found.append(
                    QString::fromStdString("over each other: " + words + " | " + texts[k].text));
        }
    }
    return found;
}

QRawFont source() {
    return QRawFont::fromFont(themeFont(plot::paperTheme(), plot::TextRole::Body, false));
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
        QVERIFY(found[0].startsWith(QLatin1String("outside")));
        QVERIFY(found[1].startsWith(QLatin1String("over each other")));
    }

    void kindsOfTheSample() {
        const auto store = store::Store::open(samplePath(), store::OpenMode::ReadOnly);
        QVERIFY2(store.hasValue(), "the sample is made with the tests");
        const auto runs = store.value().runs().value();
        int drawn = 0;
        QStringList found;
        for (const auto& kind : figures::kinds()) {
            const auto figure = load(store.value(), kind, runs);
            if (!figure.hasValue()) {
                qInfo("%s: %s", kind.key.data(), figure.error().message.c_str());
                continue;
            }
            if (!figure.value().draw)
                continue;
            ++drawn;
            for (const auto& [themeName, width] : kSheets) {
                const plot::FigureStyle style = styleOf(themeName, width);
                for (const QString& problem :
                    problemsOf(figure.value().draw(style).scene, *style.theme, style.measure))
                    found.append(QString::fromStdString(std::string(kind.key) + ", "
                                     + std::to_string(static_cast<int>(width)) + ": ")
                        + problem);
            }
        }
        QVERIFY(drawn > 10);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

    // The font that an SVG carries: read back by the system's own font engine.
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

private:
    // A column and a page of paper, a narrow and a wide screen.
    static constexpr std::array<std::pair<const char*, double>, 4> kSheets{
        {{"paper", 240.0}, {"paper", 504.0}, {"light", 620.0}, {"dark", 1400.0}}};

    static plot::FigureStyle styleOf(const char* themeName, double width) {
        plot::FigureStyle style;
        style.theme = plot::findTheme(themeName);
        style.width = width;
        style.measure = measureWith(*style.theme);
        return style;
    }
    static Result<figures::Figure> load(
        const store::Store& store, const figures::Kind& kind, std::vector<Run> runs) {
        figures::Request request;
        request.runs = std::move(runs);
        if (kind.runs == figures::RunsShown::One || kind.runs == figures::RunsShown::NamedOrOnly)
            request.runs.resize(1);
        request.style = styleOf("paper", 504.0);
        if (kind.inReport)
            request.options = kind.inReport(request.runs.size()).value_or(figures::OptionValues());
        return kind.load(store, request);
    }
    static std::filesystem::path samplePath() {
        return std::filesystem::path(qEnvironmentVariable("TRAINSCOPE_BINARY").toStdString())
            / "share/trainscope/sample.trainscope";
    }
};

TRAINSCOPE_GUI_TEST(tst_FigureTexts)
#include "tst_FigureTexts.moc"
