// The importer that the documentation walks through (packaging/docs/importer.md), which takes the
// parts between the marks [name] and [end] from here: it compiles, and reads what the page says.

// [format]
// Power logs of a laboratory: a line "# lablog 1", then lines of unix seconds (UTC), GPU and watts.
#include "importers/common/Importer.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/FileLines.h"
#include "importers/common/Number.h"
#include "importers/common/RunFolders.h"
// [end]
#include "importers/support/RecordingSink.h"
#include "support/TestProgram.h"

namespace trainscope::importers::lablog {

// [sniff]
Confidence sniff(std::string_view head, std::string_view /*path*/) {
    return head.starts_with("# lablog 1\n") ? 100 : 0;
}
// [end]

// [plan]
// Each file is a run, called by its name.
std::vector<ImportUnit> plan(const SourceTree& /*tree*/, const std::vector<SourceFile>& mine) {
    std::vector<ImportUnit> units;
    for (const SourceFile& file : mine) {
        ImportUnit unit = unitOfFile(file);
        unit.runName = withoutSuffixes(namePart(file.path));
        unit.summary = "power of GPUs";
        units.push_back(std::move(unit));
    }
    return units;
}
// [end]

// [import]
class LabLogImport {
public:
    LabLogImport(const SourceTree& tree, const ImportUnit& unit, Sink& sink)
        : m_tree(tree)
        , m_unit(unit)
        , m_sink(sink) { }

    Result<ImportReport> run(const Progress& progress) {
        m_report.importer = "lablog 1";
        Run run;
        run.name = m_unit.runName;
        ASSIGN_OR_RETURN(m_run, m_sink.run(run));
        RETURN_IF_ERROR(readLines(m_tree, m_unit.path, "Reading power", progress, m_report,
            [this](std::string_view line, std::int64_t number) { return take(line, number); }));
        if (m_report.samples == 0)
            return Error{ErrorCode::Unrecognised,
                "No line has a time, the number of a GPU and its power.",
                m_tree.displayPath(m_unit.path)};
        return std::move(m_report);
    }

private:
    Status take(std::string_view line, std::int64_t number) {
        if (line.empty() || line.starts_with('#'))
            return {};
        const auto cells = words(line, " \t");
        const auto time = cells.size() == 3 ? decimalToNs(cells[0], 1'000'000'000) : std::nullopt;
        const auto gpu = cells.size() == 3 ? wholeNumber<int>(cells[1]) : std::nullopt;
        if (!time || !gpu || *gpu < 0) {
            ++m_report.skipped;
            m_report.lost(m_tree.displayPath(m_unit.path), number,
                "This line is not a time, the number of a GPU and its power.");
            return {};
        }
        ASSIGN_OR_RETURN(const SeriesId series, seriesOf(*gpu));
        // A reading that is no number is missing, never zero.
        const double watts = parseNumber(cells[2]).value_or(std::nan(""));
        ++m_report.rows;
        ++m_report.samples;
        m_report.missing += std::isnan(watts) ? 1 : 0;
        const TimeNs at{*time};
        return m_sink.samples(series, {&at, 1}, {&watts, 1});
    }

    Result<SeriesId> seriesOf(int gpu) {
        if (const auto known = m_series.find(gpu); known != m_series.end())
            return known->second;
        RETURN_IF_ERROR(m_sink.gpu(m_run, {gpu, 0, gpu, {}, {}}));
        SeriesDescription power{*findMetric("gpu_power"), {SubjectKind::Gpu, gpu, -1, {}}};
        ASSIGN_OR_RETURN(const SeriesId made, m_sink.series(m_run, power));
        m_series.emplace(gpu, made);
        return made;
    }

    const SourceTree& m_tree;
    const ImportUnit& m_unit;
    Sink& m_sink;
    ImportReport m_report;
    RunId m_run;
    std::map<int, SeriesId> m_series;
};
// [end]

// [importer]
const Importer kImporter{.format = {.id = "lablog",
                             .name = "laboratory power log",
                             .description = "power logs of our laboratory",
                             .readsGpus = true},
    .sniff = sniff,
    .plan = plan,
    .import = importBy<LabLogImport>};
// [end]

} // namespace trainscope::importers::lablog

using namespace trainscope;
namespace lablog = trainscope::importers::lablog;

class tst_FirstImporter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // [test]
    void readsPower() {
        const std::string text = "# lablog 1\n"
                                 "1767268800.5 0 412.5\n"
                                 "1767268800.5 1 -\n"
                                 "half a line\n"
                                 "1767268801.5 0 398\n";
        QCOMPARE(lablog::kImporter.sniff(text, "night.log"), 100);
        const auto tree = importers::memoryTree({{"night.log", text}});
        const auto units = lablog::kImporter.plan(*tree, tree->files());
        QCOMPARE(units.size(), std::size_t{1});
        QCOMPARE(units.front().runName, std::string("night"));
        test::RecordingSink sink;
        const auto report = lablog::kImporter.import(*tree, units.front(), sink, {});
        QVERIFY(report.hasValue());
        QCOMPARE(report.value().samples, std::int64_t{3});
        QCOMPARE(report.value().missing, std::int64_t{1});
        QCOMPARE(report.value().skipped, std::int64_t{1});
        const test::RecordedSeries* power = sink.ofGpu("gpu_power", 0);
        QVERIFY(power != nullptr);
        QCOMPARE(power->values, (std::vector<double>{412.5, 398.0}));
        QCOMPARE(power->times.front().ns, std::int64_t{1'767'268'800'500'000'000});
    }
    // [end]

    void nothingUsable() {
        const auto tree = importers::memoryTree({{"empty.log", "# lablog 1\nnothing here\n"}});
        test::RecordingSink sink;
        const auto units = lablog::kImporter.plan(*tree, tree->files());
        const auto report = lablog::kImporter.import(*tree, units.front(), sink, {});
        QVERIFY(!report.hasValue());
        QVERIFY(report.error().code == ErrorCode::Unrecognised);
    }
};

TRAINSCOPE_TEST(tst_FirstImporter)
#include "tst_FirstImporter.moc"
