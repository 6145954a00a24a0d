// The manual: every list of the code stands in its pages, every link leads somewhere, the search
// finds, and the man pages are what man reads.

#include "app/manual/Keys.h"
#include "app/manual/Manual.h"
#include "core/analysis/comparison/Quantity.h"
#include "core/figures/Kinds.h"
#include "core/model/Metric.h"
#include "core/report/RunExpression.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

using namespace trainscope;
namespace manual = trainscope::app::manual;

namespace {

std::string textOf(const char* page) {
    const manual::Page* found = manual::findPage(page);
    std::string text;
    if (found == nullptr)
        return text;
    for (const auto& section : found->sections)
        text += section.title + "\n" + section.text + "\n";
    return text;
}

bool hasSection(const manual::Page& page, const std::string& anchor) {
    return std::any_of(page.sections.begin(), page.sections.end(),
        [&](const auto& section) { return section.anchor == anchor; });
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

std::vector<manual::Line> linesOf(const manual::Block& block) {
    std::vector<manual::Line> lines{block.line};
    for (const auto& row : block.rows)
        lines.insert(lines.end(), row.begin(), row.end());
    return lines;
}

std::vector<std::string> linksOf(const manual::Page& page) {
    std::vector<std::string> links;
    for (const auto& block : page.markup.blocks) {
        for (const auto& line : linesOf(block)) {
            for (const auto& piece : line) {
                if (piece.kind == manual::Piece::Kind::Link)
                    links.push_back(piece.place);
            }
        }
    }
    return links;
}

bool leadsSomewhere(const manual::Page& from, const std::string& link) {
    const manual::Place place = manual::placeOf(link);
    const manual::Page* page = place.page.empty() ? &from : manual::findPage(place.page);
    return page != nullptr && (place.anchor.empty() || hasSection(*page, place.anchor));
}

} // namespace

class tst_Manual : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMetricIsThere() {
        const std::string numbers = textOf("numbers");
        for (const KnownMetric& metric : metricRegistry()) {
            QVERIFY2(contains(numbers, metric.name), metric.name.c_str());
            QVERIFY2(contains(numbers, metric.label), metric.label.c_str());
        }
    }

    void everyComparedQuantityIsDefined() {
        const std::string numbers = textOf("numbers");
        for (const auto& quantity : analysis::comparedQuantities()) {
            QVERIFY2(contains(numbers, quantity.key), quantity.key.c_str());
            QVERIFY2(contains(numbers, quantity.definition), quantity.key.c_str());
        }
    }

    void everyColumnOfRunsIsThere() {
        const std::string runs = textOf("runs");
        for (const auto& column : report::runColumns()) {
            QVERIFY2(contains(runs, column.definition), column.key.c_str());
            for (const auto& word : column.words)
                QVERIFY2(contains(runs, word), word.c_str());
        }
    }

    // As they are told, they are understood.
    void examplesOfExpressions() {
        int examples = 0;
        for (const auto& block : manual::findPage("runs")->markup.blocks) {
            for (const QByteArray& line : QByteArray::fromStdString(block.code).split('\n')) {
                const auto parsed = report::parseRunExpression(line.toStdString());
                QVERIFY2(parsed.hasValue(), line.constData());
                examples += line.isEmpty() ? 0 : 1;
            }
        }
        QVERIFY(examples > 3);
    }

    void everyKeyIsThere() {
        const std::string keys = textOf("keys");
        for (const auto& entry : app::keyEntries()) {
            QVERIFY2(contains(keys, app::shownKeys(entry)), entry.id);
            QVERIFY2(contains(keys, entry.action), entry.id);
        }
    }

    // Each kind is described under a heading of its own, with the options that it takes.
    void everyKindOfFigureIsThere() {
        const manual::Page& page = *manual::findPage("figures");
        for (const auto& kind : figures::kinds()) {
            const std::string key(kind.key);
            QVERIFY2(hasSection(page, key), key.c_str());
            const auto section = std::find_if(page.sections.begin(), page.sections.end(),
                [&](const auto& one) { return one.anchor == key; });
            for (const auto& option : kind.options)
                QVERIFY2(contains(section->text, option.name), key.c_str());
        }
    }

    // Each importer is described under a heading of its own.
    void everyFormatIsThere() {
        const manual::Page& page = *manual::findPage("formats");
        for (const auto* importer : importers::registry()) {
            const std::string id(importer->format.id);
            QVERIFY2(hasSection(page, id), id.c_str());
            QVERIFY2(contains(textOf("formats"), importer->format.description), id.c_str());
        }
    }

    void noListIsLeftOpen() {
        for (const auto& page : manual::pages()) {
            QVERIFY2(!page.markup.title.empty(), page.id.c_str());
            QVERIFY2(!page.markup.about.empty(), page.id.c_str());
            for (const auto& block : page.markup.blocks) {
                const std::string text = manual::plainText(block);
                QVERIFY2(!text.starts_with('{') || !block.code.empty(), text.c_str());
            }
        }
    }

    void everyLinkLeadsSomewhere() {
        for (const auto& page : manual::pages()) {
            for (const auto& link : linksOf(page))
                QVERIFY2(leadsSomewhere(page, link), (page.id + ": " + link).c_str());
        }
    }

    void sectionsHaveNamesOfTheirOwn() {
        for (const auto& page : manual::pages()) {
            std::vector<std::string> anchors;
            for (const auto& section : page.sections)
                anchors.push_back(section.anchor);
            std::sort(anchors.begin(), anchors.end());
            const auto twice = std::adjacent_find(anchors.begin(), anchors.end());
            QVERIFY2(twice == anchors.end(),
                (page.id + ": " + (twice == anchors.end() ? std::string() : *twice)).c_str());
        }
    }

    void markupIsRead() {
        const auto markup = manual::parseMarkup("# Title\n> about it\n\nOne\nline of `code`.\n\n"
                                                "## A section\n- first\n  goes on\n- second\n\n"
                                                "term\n: what it is\n\n| a | b |\n|---|---|\n"
                                                "| 1 | [two](page#part) |\n\n```\nx  y\n```\n");
        QCOMPARE(markup.title, std::string("Title"));
        QCOMPARE(markup.about, std::string("about it"));
        using Kind = manual::Block::Kind;
        const std::vector<Kind> kinds{Kind::Paragraph, Kind::Heading, Kind::Item, Kind::Item,
            Kind::Term, Kind::Definition, Kind::Table, Kind::Code};
        QCOMPARE(markup.blocks.size(), kinds.size());
        for (std::size_t i = 0; i < kinds.size(); ++i)
            QCOMPARE(markup.blocks[i].kind, kinds[i]);
        const manual::Line first{{manual::Piece::Kind::Plain, "One line of "},
            {manual::Piece::Kind::Code, "code"}, {manual::Piece::Kind::Plain, "."}};
        QCOMPARE(markup.blocks[0].line, first);
        QCOMPARE(markup.blocks[1].anchor, std::string("a-section"));
        QCOMPARE(manual::plainText(markup.blocks[2]), std::string("first goes on"));
        QCOMPARE(markup.blocks[6].rows.size(), std::size_t{2});
        QCOMPARE(markup.blocks[6].rows[1][1].front().place, std::string("page#part"));
        QCOMPARE(markup.blocks[7].code, std::string("x  y\n"));
    }

    void rowsAreAsLongAsTheirHead() {
        const auto rows
            = manual::parseMarkup("| a | b |\n|---|---|\n| `x \\| y` | z |\n").blocks[0].rows;
        QCOMPARE(rows[1].size(), std::size_t{2});
        QCOMPARE(manual::plainText(rows[1][0]), std::string("x | y"));
        for (const auto& page : manual::pages()) {
            for (const auto& block : page.markup.blocks) {
                for (const auto& row : block.rows)
                    QVERIFY2(row.size() == block.rows.front().size(),
                        (page.id + ": " + manual::plainText(row.front())).c_str());
            }
        }
    }

    void namesInBoldTextAreCode() {
        using Kind = manual::Piece::Kind;
        const manual::Line line = manual::parseLine("**needs `with_stack`.** So");
        const manual::Line right{{Kind::Strong, "needs "}, {Kind::Code, "with_stack"},
            {Kind::Strong, "."}, {Kind::Plain, " So"}};
        QVERIFY(line == right);
    }

    // A sign of multiplication is no mark.
    void plainSignsStayPlain() {
        QCOMPARE(manual::plainText(manual::parseLine("2 * 3 * 4")), std::string("2 * 3 * 4"));
        QCOMPARE(manual::plainText(manual::parseLine("a[i] of b")), std::string("a[i] of b"));
    }

    void searchFindsWhereEveryWordStands() {
        const auto hits = manual::search("Exposed  communication");
        QVERIFY(!hits.empty());
        QCOMPARE(hits.front().place, (manual::Place{"numbers", "exposed-communication"}));
        for (const auto& hit : hits) {
            const auto& page = *manual::findPage(hit.place.page);
            const auto section = std::find_if(page.sections.begin(), page.sections.end(),
                [&](const auto& one) { return one.anchor == hit.place.anchor; });
            const std::string all = QString::fromStdString(section->title + " " + section->text)
                                        .toLower()
                                        .toStdString();
            QVERIFY(contains(all, "exposed"));
            QVERIFY(contains(all, "communication"));
        }
        QVERIFY(manual::search("  ").empty());
        QVERIFY(manual::search("xyzzy").empty());
    }

    // Cut between characters, also where these take several bytes.
    void excerptsAreText() {
        for (const char* query : {"e", "σ", "samples", "median"}) {
            for (const auto& hit : manual::search(query)) {
                const QString text = QString::fromStdString(hit.excerpt);
                QVERIFY2(!text.contains(QChar::ReplacementCharacter), hit.excerpt.c_str());
                QVERIFY(hit.excerpt.size() < 160);
            }
        }
    }

    void topicsOfTheViews() {
        for (const char* view : {"timeline", "layout", "heatmap", "kernels", "sweep", "spectrum",
                 "compare", "findings"})
            QVERIFY2(manual::findTopic(view).has_value(), view);
        QCOMPARE(*manual::findTopic("layout"), (manual::Place{"layout", {}}));
        QCOMPARE(*manual::findTopic("heatmap"), (manual::Place{"figures", "heatmap"}));
        QVERIFY(!manual::findTopic("nothing of the kind"));
    }

    // A section is all up to the next of its level; the beginning of a page is what has no heading.
    void sectionsByName() {
        const auto heat = manual::blocksAt({"numbers", "heat"});
        QVERIFY(heat.size() > 8);
        QCOMPARE(heat.front().anchor, std::string("throttled-time"));
        QCOMPARE(manual::blocksAt({"numbers", "step-time"}).size(), std::size_t{1});
        QVERIFY(manual::blocksAt({"numbers", "no-such"}).empty());
        QVERIFY(manual::blocksAt({"nothing", {}}).empty());
        QCOMPARE(manual::blocksAt({"numbers", {}}).size(), std::size_t{1});
        QCOMPARE(manual::definitionAt("numbers#waiting", 40),
            std::string("Waiting: In a synchronising collective,\na rank waits from its own start "
                        "to the\nstart of the last rank."));
        QVERIFY(manual::definitionAt("numbers#no-such", 40).empty());
    }

    void foundWordsAreBold() {
        QCOMPARE(manual::withBoldWords("Energy & energy bound", {"energy", "bound"}),
            std::string("<b>Energy</b> &amp; <b>energy</b> <b>bound</b>"));
    }

    void htmlOfAPage() {
        const std::string html = manual::htmlPage(*manual::findPage("numbers"), {});
        QVERIFY(contains(html, "<a name=\"step-time\">Step time</a>"));
        QVERIFY(contains(html, "<a href=\"numbers#waiting\" "));
        QVERIFY(contains(html, "<code>gpu_power</code>"));
    }

    void manPagesArePlainTroff() {
        for (const auto& page : manual::pages()) {
            const std::string text = manual::manPage(page);
            QVERIFY(contains(text, ".SH NAME\ntrainscope\\-" + page.id + " \\- "));
            QVERIFY(contains(text, "\n.SH SEE ALSO\n"));
            for (const char c : text)
                QVERIFY2(static_cast<unsigned char>(c) < 0x80, page.id.c_str());
            for (const auto& section : page.sections) {
                if (section.level == 3)
                    QVERIFY2(contains(text, "\n.SS "), page.id.c_str());
            }
        }
        const std::string numbers = manual::manPage(*manual::findPage("numbers"));
        QVERIFY(contains(numbers, "\n.SS Time\\-weighted mean\n"));
        QVERIFY(contains(numbers, ".TP\n\\fB\\fBgpu_power\\fR\\fR\nGPU power; W; gauge\n"));
        // U+03A3, the sum.
        QVERIFY(contains(numbers, "\\[u03A3] v"));
        QVERIFY(contains(numbers, "\\fBtrainscope\\-formats\\fR(7)"));
    }
};

TRAINSCOPE_TEST(tst_Manual)
#include "tst_Manual.moc"
